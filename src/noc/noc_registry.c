/* The topologies, one line each. A new one also goes into the choices of noc.topology. */
#include "noc/noc.h"

extern const struct noc_topology noc_xbar, noc_cxbar, noc_hxbar, noc_mesh;

const struct noc_topology *const noc_topologies[] = {
    &noc_xbar, &noc_cxbar, &noc_hxbar, &noc_mesh, NULL,
};
