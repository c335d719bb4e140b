/* The version: part of what identifies a result. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define HEDDLE_VERSION "0.2.0"

#endif
