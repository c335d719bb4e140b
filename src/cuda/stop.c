/* See stop.h. */
#include "cuda/stop.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

enum { AGAIN_SECONDS = 1 }; /* an earlier signal is the same one, sent to the program and to its group */

unsigned cuda_stop_threads;
static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
enum { SIGNALS = sizeof signals / sizeof *signals };

volatile sig_atomic_t cuda_stop_signal;
static time_t first_at; /* written once, before cuda_stop_signal */
static sem_t came;
static pid_t owner; /* the process with the thread; forked processes have none */
static void (*end_program)(void);

static time_t seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

static void on_signal(int number) {
  int kept = errno;
  if (getpid() == owner && !cuda_stop_signal) {
    first_at = seconds_now();
    cuda_stop_signal = number;
    sem_post(&came);
  } else if (getpid() != owner || seconds_now() - first_at > AGAIN_SECONDS) {
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = kept;
}

static void *wait_for_signal(void *unused) {
  while (sem_wait(&came) != 0) {}
  end_program();
  return unused;
}

/* The thread receives no signals; they go to the program's own threads. */
static void start_thread(void) {
  sigset_t all, old;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  cuda_stop_threads = pthread_create(&thread, NULL, wait_for_signal, NULL) == 0;
  if (cuda_stop_threads) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
}

void cuda_stop_on_signals(void (*end)(void)) {
  if (end_program || sem_init(&came, 0, 0) != 0) return;
  end_program = end;
  owner = getpid();
  start_thread();
  for (size_t i = 0; i < SIGNALS; i++) {
    struct sigaction old;
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
      sigaction(signals[i], &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
  }
}
