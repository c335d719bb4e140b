/* The keys of the energy model, each with its source in its meaning. Energies at 28 nm are scaled to power.node by
 * power_energy_scale. GPUJoule is Arunkumar et al., HPCA 2019, measured on a K40; its energies of instructions are
 * quoted from memory. DRAMsim3 stands for its device files. AccelWattch is the paper of MICRO 2021, with its figures
 * for a QV100. */
#include "power/power.h"

#define PJ(name, value, meaning)                                                                                       \
  { "power." name, CFG_REAL, value, 0, 1e6, NULL, "pJ", meaning }

const struct cfg_key power_keys[] = {
    {"power.node", CFG_REAL, "28", 4, 65, NULL, "nm", "process node of the chip, to which energies at 28 nm are scaled"},
    {"power.temperature", CFG_REAL, "340", 250, 420, NULL, "K", "temperature of the chip, for leakage; the default is DSENT's"},
    {"power.die_side", CFG_REAL, "24.6", 1, 100, NULL, "mm",
     "side of the die, for the length of links; the default is twice the 12.3 mm of Zhao et al., ISCA 2019"},
    PJ("op.int", "64", "energy of a thread's integer instruction without its registers, at 28 nm: GPUJoule's 70 less 3 operands"),
    PJ("op.multiply", "124", "energy of a thread's integer multiply without its registers, at 28 nm: GPUJoule's 130 less 3 operands"),
    PJ("op.fp32", "46", "energy of a thread's single- or half-precision instruction, at 28 nm: GPUJoule's 50 to 60 less 3 or 4 operands"),
    PJ("op.fp64", "140", "energy of a thread's double-precision instruction, at 28 nm: GPUJoule's 130 to 160 less 3 or 4 operands"),
    PJ("op.sfu", "95", "energy of a thread's special function, conversion or division, at 28 nm: GPUJoule's 100 less 2 operands"),
    PJ("op.tensor", "370",
       "energy of a thread's share of a matrix instruction, at 28 nm: 312 Tflop/s of an A100 at 250 W, 128 flop per thread"),
    PJ("op.other", "20",
       "energy of a thread's branch, barrier or address of a memory instruction, at 28 nm: an instruction without a result"),
    PJ("register", "2",
       "energy of reading or writing a thread's 32-bit register operand, at 28 nm: Keckler et al., IEEE Micro 2011, scaled"),
    {"power.shared.move", CFG_REAL, "5.32", 0, 1e6, NULL, "pJ/bit",
     "energy of moving data from shared memory to registers, array included, at 28 nm: GPUJoule"},
    {"power.l1.move", CFG_REAL, "5.65", 0, 1e6, NULL, "pJ/bit",
     "energy of moving data from L1D to registers without the array, at 28 nm: GPUJoule's 5.85 less 0.2"},
    {"power.l2.move", CFG_REAL, "13.6", 0, 1e6, NULL, "pJ/bit",
     "energy of moving data between L2 and the network without the array, at 28 nm: GPUJoule's 15.48 less array and network"},
    {"power.dram.device_bytes", CFG_REAL, "4", 1, 256, NULL, "bytes",
     "bus width of the DRAM device that the other power.dram keys describe"},
    PJ("dram.activate", "6000", "energy of an activate and precharge of a DRAM device: (IDD0 less standby) tRC VDD of DRAMsim3's GDDR5"),
    {"power.dram.read", CFG_REAL, "4.9", 0, 1e6, NULL, "pJ/bit",
     "energy of reading from DRAM: (IDD4R - IDD3N) VDD over the bits of a burst, of DRAMsim3's GDDR5"},
    {"power.dram.write", CFG_REAL, "5.5", 0, 1e6, NULL, "pJ/bit",
     "energy of writing to DRAM: (IDD4W - IDD3N) VDD over the bits of a burst, of DRAMsim3's GDDR5"},
    {"power.dram.path", CFG_REAL, "25.2", 0, 1e6, NULL, "pJ/bit",
     "energy of the DRAM controller, interface and way to L2: GPUJoule's 30.55 less array and activate"},
    PJ("dram.refresh", "19600", "energy of a refresh of a DRAM device's banks: (IDD5 - IDD2N) tRFC VDD of DRAMsim3's GDDR5"),
    {"power.dram.background", CFG_REAL, "0.675", 0, 1e3, NULL, "W",
     "background power of a DRAM device with open rows: IDD3N VDD of DRAMsim3's GDDR5"},
    {"power.sm.static", CFG_REAL, "0.61", 0, 1e3, NULL, "W",
     "static power of an SM that holds a CTA, arrays included: AccelWattch's 48.95 W over 80 SMs"},
    {"power.sm.idle", CFG_REAL, "0.283", 0, 1e3, NULL, "W", "static power of an SM that holds no CTA: AccelWattch"},
    {"power.constant", CFG_REAL, "32.3", 0, 1e4, NULL, "W", "constant power of the board, whatever it does: AccelWattch"},
    {"power.noc.toggle", CFG_REAL, "0.25", 0, 1, NULL, "",
     "share of a flit's bits that go from 0 to 1; the default is that of random data"},
    {"power.noc.gated", CFG_REAL, "0.05", 0, 1, NULL, "",
     "share of a power-gated router's leakage that its sleep transistors let through; assumed"},
    {0},
};
