/* Keys and statistics of an SM. Each unit of exec.h has one latency and one initiation interval. */
#include "sm/sm.h"

#include <stdio.h>
#include <string.h>

#define UNIT(key, lat, ii, what)                                                                                       \
  {"sm.latency." key, CFG_INT, lat, 1, 10000, NULL, "core cycles", "latency from issue to result: " what},             \
  {"sm.interval." key, CFG_INT, ii, 1, 1000, NULL, "core cycles", "interval between two issues to one pipeline: " what}
#define APART(key, what, usual)                                                                                        \
  {"sm.latency." key, CFG_INT, "0", 0, 10000, NULL, "core cycles",                                                     \
   "latency from issue to result: " what "; 0: as sm.latency." usual},                                                 \
  {"sm.interval." key, CFG_INT, "0", 0, 1000, NULL, "core cycles",                                                     \
   "interval between two issues to one pipeline: " what "; 0: as sm.interval." usual}
#define SEQUENCE(key, what)                                                                                            \
  {"sm.sequence." key, CFG_INT, "1", 1, 250, NULL, "instructions",                                                     \
   "machine instructions issued for one of the PTX, an issue slot each: " what}

enum { BY_LINES, BY_SEGMENTS };
static const struct policy *const coalescings[] = {
    [BY_LINES] = OPTION("lines", "lanes that touch one line share an access"),
    [BY_SEGMENTS] = OPTION("segments", "lanes that touch one segment of 32, 64 or 128 bytes share an access"),
    NULL,
};
enum { CONST_HALF, CONST_WHOLE };
static const struct policy *const const_lines[] = {
    [CONST_HALF] = OPTION("64", "constants are fetched 64 bytes at a time"),
    [CONST_WHOLE] = OPTION("128", "constants are fetched 128 bytes at a time, like all else"),
    NULL,
};
enum { KEEP_NONE, KEEP_READONLY, KEEP_ALL };
static const struct policy *const kept[] = {[KEEP_NONE] = OPTION("none", "every cache is empty when a kernel begins"),
                                           [KEEP_READONLY] = OPTION("readonly", "constant and texture caches keep their lines"),
                                           [KEEP_ALL] = OPTION("all", "L1D, constant and texture caches keep their lines"), NULL};
enum { BY_KIND, BY_OPCODE };
static const struct policy *const unit_rules[] = {
    [BY_KIND] = OPTION("kinds", "the kind of unit decides latency and pipeline"),
    [BY_OPCODE] = OPTION("opcodes", "opcode and type decide latency and pipeline, as in GPGPU-Sim"),
    NULL,
};
enum { DOUBLE_DP, DOUBLE_SP, DOUBLE_SFU };
static const struct policy *const double_pipes[] = {
    [DOUBLE_DP] = OPTION("dp", "double precision uses the pipelines of sm.pipes.dp"),
    [DOUBLE_SP] = OPTION("sp", "double precision uses the pipelines of sm.pipes.sp; divisions, of sm.pipes.sfu"),
    [DOUBLE_SFU] = OPTION("sfu", "double precision uses the pipelines of sm.pipes.sfu"),
    NULL,
};

const struct cfg_key sm_keys[] = {
    {"sm.threads", CFG_INT, "1536", 32, 2048, NULL, "threads", "threads that an SM can hold"},
    {"sm.warps", CFG_INT, "48", 1, SM_MAX_WARPS, NULL, "warps", "warps that an SM can hold"},
    {"sm.ctas", CFG_INT, "8", 1, SM_MAX_CTAS, NULL, "CTAs", "CTAs that an SM can hold"},
    {"sm.registers", CFG_INT, "32768", 1024, 1048576, NULL, "32-bit registers", "32-bit registers of an SM"},
    {"sm.register_unit", CFG_INT, "64", 1, 4096, NULL, "registers",
     "allocation unit of registers: the need of a warp is rounded up to a multiple of this"},
    {"sm.shared", CFG_BYTES, "48K", 0, 1048576, NULL, "bytes", "shared memory of an SM"},
    {"sm.shared_reserved", CFG_BYTES, "0", 0, 65536, NULL, "bytes", "shared memory that each CTA takes beyond its own need"},
    {"sm.l1_shared", CFG_BYTES, "0", 0, 1048576, NULL, "bytes",
     "size of L1D and shared memory together: L1D gets what the driver's choice of shared memory for a kernel leaves; 0: L1D has its "
     "own size"},
    {"sm.schedulers", CFG_INT, "2", 1, SM_MAX_SCHEDULERS, NULL, "schedulers",
     "warp schedulers of an SM; each issues one instruction a cycle"},
    {"sm.rotate_schedulers", CFG_BOOL, "false", 0, 0, NULL, "",
     "the scheduler after the one that issued the last load or store issues first; false: always the first scheduler"},
    {"sm.alternate_schedulers", CFG_BOOL, "false", 0, 0, NULL, "",
     "the schedulers take turns at issuing first, in each cycle in which the SM has a CTA"},
    {"sm.dual_issue", CFG_BOOL, "false", 0, 0, NULL, "",
     "a scheduler may issue two instructions of a warp in one cycle, to different kinds of unit"},
    {"sm.scheduler", CFG_CHOICE, "gto", 0, 0, sm_schedulers, "", "warp scheduler: which ready warp issues"},
    {"sm.warp_limit", CFG_INT, "0", 0, SM_MAX_WARPS, NULL, "warps",
     "warps of an SM that may issue: the oldest that are not waiting at a barrier or fence; 0: all"},
    {"sm.pipes.sp", CFG_INT, "2", 1, SM_MAX_PIPES, NULL, "pipelines", "pipelines for integer and single precision, 32 lanes wide"},
    {"sm.pipes.alu", CFG_INT, "0", 0, SM_MAX_PIPES, NULL, "pipelines",
     "pipelines for logic, compare, select, shifts, minimum and maximum; 0: these use sm.pipes.sp"},
    {"sm.own_pipes", CFG_BOOL, "false", 0, 0, NULL, "",
     "each scheduler has its part of the pipelines; integer products and halves use the first of its sm.pipes.sp, integer sums that or "
     "sm.pipes.alu, conversions sm.pipes.alu"},
    {"sm.cross_latency", CFG_INT, "0", 0, 100, NULL, "core cycles",
     "additional latency of a result of floating-point sums or of products that logic, comparisons or integer sums use, and the other "
     "way round"},
    {"sm.special_latency", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "latency of reading a special register of a thread, lane, warp, CTA or SM; 0: that of a sum"},
    {"sm.special_interval", CFG_INT, "0", 0, 100, NULL, "core cycles", "time between two reads of special registers by an SM"},
    {"sm.register_ports", CFG_INT, "0", 0, 16, NULL, "registers",
     "registers that the instructions of a scheduler can read per cycle (sm.lower); an instruction that waits for them holds the "
     "scheduler up; 0: any number"},
    {"sm.pipes.sfu", CFG_INT, "1", 1, SM_MAX_PIPES, NULL, "pipelines", "pipelines for special functions, conversions and divisions"},
    {"sm.pipes.dp", CFG_INT, "1", 1, SM_MAX_PIPES, NULL, "pipelines", "pipelines for double precision"},
    {"sm.pipes.tensor", CFG_INT, "1", 1, SM_MAX_PIPES, NULL, "pipelines", "pipelines for matrix instructions"},
    {"sm.collectors", CFG_INT, "0", 0, SM_MAX_COLLECTORS, NULL, "collectors",
     "operand collectors in which integer and single-precision instructions wait for operands, one a cycle; 0: operands take no time"},
    {"sm.coalesce", CFG_CHOICE, "lines", 0, 0, coalescings, "",
     "which lanes share an access: those of a line, or those of a segment of 32, 64 or 128 bytes for elements of 1, 2 or more bytes"},
    {"sm.store_elements", CFG_BOOL, "false", 0, 0, NULL, "",
     "a lane's store of a vector counts as the bytes of its first element, as in GPGPU-Sim"},
    {"sm.atomic_parts", CFG_INT, "1", 1, 2, NULL, "parts",
     "parts of a warp whose atomics are coalesced separately (sm.coalesce = segments)"},
    {"sm.keep_caches", CFG_CHOICE, "none", 0, 0, kept, "",
     "which caches keep their lines when a kernel ends: none, constant and texture caches, or L1D too"},
    {"sm.atomic_segment", CFG_INT, "128", 32, 128, NULL, "bytes",
     "largest access of a coalesced atomic (sm.coalesce = segments): 32, 64 or 128"},
    {"sm.register_banks", CFG_INT, "0", 0, SM_MAX_BANKS, NULL, "banks",
     "banks of the register file, which operand collectors read stage by stage (src/sm/pipeline.h), in place of sm.collectors; 0: not "
     "modelled"},
    {"sm.parallel_reads", CFG_BOOL, "false", 0, 0, NULL, "", "an operand collector receives registers from several banks in a cycle"},
    {"sm.memory_stage", CFG_BOOL, "false", 0, 0, NULL, "",
     "the load/store unit takes an instruction in the cycle after it left its operand collector, as other units do; false: in the same "
     "cycle"},
    {"sm.collectors_sfu", CFG_INT, "8", 1, SM_SET_COLLECTORS, NULL, "collectors",
     "operand collectors in front of the pipelines of sm.pipes.sfu"},
    {"sm.collectors_mem", CFG_INT, "2", 1, SM_SET_COLLECTORS, NULL, "collectors", "operand collectors in front of the load/store unit"},
    {"sm.result_buses", CFG_INT, "2", 1, 8, NULL, "results",
     "results that can be written to registers a cycle, of all pipelines but the load/store unit's"},
    {"sm.instruction_buffer", CFG_INT, "0", 0, 8, NULL, "instructions",
     "instructions of a warp's buffer, fetched together when it is empty, for one warp a cycle; 0: sm.fetch_latency and sm.branch_latency "
     "are used"},
    {"sm.reply_latency", CFG_INT, "0", 0, 100, NULL, "core cycles",
     "latency from a reply's arrival to the register; one access a cycle is written"},
    {"sm.free_at_exit", CFG_BOOL, "false", 0, 0, NULL, "",
     "a warp's slot is free when the warp has ended; false: when its last load or store is answered too"},
    {"sm.exit_latency", CFG_INT, "0", 0, 100, NULL, "core cycles",
     "latency from a CTA's last instruction until its slot is free, which then also waits for its stores; 0: at once, and warp slots wait "
     "for stores"},
    {"sm.shared_params", CFG_BOOL, "false", 0, 0, NULL, "", "parameters of all launches lie at one address of the constant cache"},
    {"sm.lsu_queue", CFG_INT, "4", 1, 64, NULL, "instructions", "instructions that can wait in front of the load/store unit"},
    {"sm.shared_latency", CFG_INT, "26", 0, 1000, NULL, "core cycles", "latency of a shared-memory access without bank conflicts"},
    {"sm.merged_phases", CFG_BOOL, "false", 0, 0, NULL, "",
     "the halves of a warp's shared-memory accesses of 8 bytes a lane (quarters, of 16 bytes) are served together if neighbouring "
     "lanes use the same address; false: always in sequence"},
    {"sm.return_interval", CFG_INT, "0", 0, 100, NULL, "core cycles",
     "cycles that the words of one cycle of the banks of shared memory or L1D take on the way into a scheduler's registers; 0: none"},
    {"sm.const_latency", CFG_INT, "10", 0, 1000, NULL, "core cycles", "latency of a constant-cache hit"},
    {"sm.param_latency", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "latency of the first access of an SM to a kernel's parameters, which are kept near it; 0: they come from L2"},
    {"sm.const_serial", CFG_BOOL, "false", 0, 0, NULL, "",
     "lanes of a constant load that name different addresses are served one address after the other; false: as many as lie in a line "
     "together"},
    {"sm.literal_latency", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "latency of a constant-cache hit where the address is a literal; 0: sm.const_latency"},
    {"sm.const_interval", CFG_INT, "1", 1, 100, NULL, "core cycles", "time between two addresses of one constant load (sm.const_serial)"},
    {"sm.tex_latency", CFG_INT, "80", 0, 1000, NULL, "core cycles", "latency of a texture-cache hit"},
    {"sm.branch_latency", CFG_INT, "4", 0, 1000, NULL, "core cycles", "latency after a taken branch before the warp can issue"},
    {"sm.control_interval", CFG_INT, "1", 1, 1000, NULL, "core cycles",
     "time from a branch that is not taken to the warp's next instruction"},
    {"sm.meet_interval", CFG_INT, "1", 1, 1000, NULL, "core cycles",
     "time in which the sides of a potentially divergent branch reconverge, where sm.lower counts a slot for it; twice that if the "
     "warp is divided"},
    {"sm.slow_path.div", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "additional time of a rounded f32 division if an operand of any lane is zero or has an extreme exponent"},
    {"sm.slow_path.rcp", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "additional time of a rounded f32 reciprocal if an operand of any lane is zero or has an extreme exponent"},
    {"sm.slow_path.sqrt", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "additional time of a rounded f32 square root if an operand of any lane is zero or has an extreme exponent"},
    {"sm.slow_path.ddiv", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "additional time of a rounded f64 division if an operand or the quotient of any lane is zero or has an extreme exponent"},
    {"sm.slow_path.drcp", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "additional time of a rounded f64 reciprocal if an operand of any lane is zero or has an extreme exponent"},
    {"sm.slow_path.dsqrt", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "additional time of a rounded f64 square root if an operand of any lane is zero or has an extreme exponent"},
    {"sm.barrier_latency", CFG_INT, "1", 1, 1000, NULL, "core cycles",
     "latency from the last arrival at a barrier before a warp can issue"},
    {"sm.barrier_interval", CFG_INT, "0", 0, 1000, NULL, "core cycles", "time between two arrivals of an SM's warps at barriers"},
    {"sm.fence_latency", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "latency of a fence of wider scope than a CTA, which then also empties L1D, as an acquire does; 0: every fence only waits for "
     "stores"},
    {"sm.fence_touched", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "latency of a fence of wider scope than a CTA if its SM has accessed global or local memory since the previous one began "
     "(sm.fence_latency)"},
    {"sm.fence_far", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "latency of such a fence (sm.fence_touched) in every second pair of SMs"},
    {"sm.fence_interval", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "time for which a fence of wider scope than a CTA delays the SM's next one, once eight are under way (sm.fence_latency)"},
    {"sm.fence_cta", CFG_INT, "1", 1, 10000, NULL, "core cycles", "latency of a fence of CTA scope (sm.fence_latency)"},
    {"sm.atomic_passes", CFG_BOOL, "false", 0, 0, NULL, "",
     "lanes of an atomic operation that name the same word are served one after the other; false: together"},
    {"sm.atomic_loop", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "time of one iteration of the compare-and-swap loop that adds floating-point numbers in shared memory; 0: no loop"},
    {"sm.atomic_retry", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "time of an iteration of that loop in which no lane of the warp succeeds because another warp intervened (sm.atomic_loop); 0: as "
     "the others"},
    {"sm.cta_latency", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "time from the dispatch of a CTA to an SM to the first instructions of its warps, beyond the next cycle"},
    {"sm.cta_interval", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "least time between two dispatches of CTAs to an SM, plus a cycle for each warp of the CTA; 0: one CTA per cycle"},
    {"sm.warp_interval", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "time between the starts of a CTA's warps, during which the SM gets no other CTA (sm.cta_interval); 0: all start at once"},
    {"sm.cluster_latency", CFG_INT, "200", 1, 10000, NULL, "core cycles",
     "latency from the last arrival at the barrier of a cluster of CTAs before its warps can issue"},
    {"sm.dsm_latency", CFG_INT, "180", 1, 10000, NULL, "core cycles",
     "latency of an access to the shared memory of another CTA of the cluster, and of an arrival or a signal that goes there"},
    {"sm.dsm_bytes", CFG_INT, "32", 1, 1024, NULL, "bytes", "bytes that an SM exchanges a cycle with the shared memory of other SMs"},
    {"sm.copy_latency", CFG_INT, "50", 0, 10000, NULL, "core cycles",
     "time from the arrival of a bulk copy's lines until its mbarrier has counted its bytes"},
    {"sm.empty_accesses", CFG_BOOL, "false", 0, 0, NULL, "",
     "a load or store that no lane of its warp executes takes its turn in the load/store unit, as if it had found its data in shared "
     "memory"},
    {"sm.copy_interval", CFG_INT, "1", 1, 1000, NULL, "core cycles", "time from a bulk copy until its warp can issue again"},
    {"sm.map_latency", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "time that an SM's first copy with a tensor map, and its warp, wait for the map; 0: maps are at hand"},
    {"sm.wait_limit", CFG_INT, "0", 0, 1000000, NULL, "core cycles",
     "time after which mbarrier.try_wait answers that its phase has not ended; 0: at once"},
    {"sm.wgmma_latency", CFG_INT, "60", 0, 1000, NULL, "core cycles",
     "time from the last product of a group of wgmma until a warp that waits for the group can issue"},
    {"sm.matrix_sizes", CFG_BOOL, "false", 0, 0, NULL, "",
     "a matrix instruction of a warp (mma, wmma) takes an H200's time for its shape and type; false: all take sm.latency.tensor and "
     "sm.interval.tensor"},
    {"sm.guard_latency", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "latency that a predicate needs beyond its ordinary one before it can guard an instruction or a branch"},
    {"sm.fetch_latency", CFG_INT, "2", 0, 1000, NULL, "core cycles", "latency of moving to another line of the instruction cache"},
    {"sm.assembler_order", CFG_BOOL, "false", 0, 0, NULL, "",
     "instructions of a block are issued as an assembler orders them, loads and the conditions of branches first; false: as in the PTX"},
    {"sm.lower", CFG_BOOL, "false", 0, 0, NULL, "",
     "PTX is lowered towards machine code as an assembler does: loops unrolled, short branches guarded, instructions that become part of "
     "another one without an issue slot, others with several; false: an issue slot each, in the PTX's own control flow"},
    {"sm.yield", CFG_BOOL, "false", 0, 0, NULL, "",
     "lanes that spin on another thread's value let the warp's other lanes run in every iteration, as an assembler's YIELD does; false: "
     "after 256"},
    {"sm.instruction_bytes", CFG_INT, "8", 1, 64, NULL, "bytes", "size of an instruction in the instruction cache"},
    {"sm.packed_code", CFG_BOOL, "false", 0, 0, NULL, "",
     "functions follow each other in memory as in the PTX; false: each begins at a new instruction-cache line"},
    {"sm.readonly_replacement", CFG_CHOICE, "lru", 0, 0, mem_replacements, "",
     "replacement policy of the constant, texture and instruction caches"},
    {"sm.const_cache", CFG_BYTES, "8K", 128, 1048576, NULL, "bytes", "size of the constant cache"},
    {"sm.const_line", CFG_CHOICE, "128", 0, 0, const_lines, "bytes", "line of the constant cache"},
    {"sm.tex_cache", CFG_BYTES, "12K", 128, 1048576, NULL, "bytes", "size of the texture cache"},
    {"sm.inst_cache", CFG_BYTES, "4K", 128, 1048576, NULL, "bytes", "size of the instruction cache"},
    {"sm.preload_code", CFG_BOOL, "false", 0, 0, NULL, "",
     "the beginning of a function, as much as the instruction cache and sm.preload_bytes hold, never misses; false: code is fetched on "
     "demand"},
    {"sm.preload_bytes", CFG_BYTES, "1M", 128, 1048576, NULL, "bytes", "largest part of a function that sm.preload_code loads"},
    {"sm.code_rate", CFG_INT, "0", 0, 1024, NULL, "bytes",
     "bytes per core cycle at which the code of sm.preload_code arrives from a kernel's start on, if the instruction cache lacks it; 0: it "
     "is there at once"},
    {"sm.code_step", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "time from a line of code to the next one when an SM runs them for the first time (with sm.code_rate)"},
    {"sm.code_jump", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "longest time that a line of code takes when an SM jumps to it and runs it for the first time (with sm.code_rate)"},
    {"sm.fetch_ahead", CFG_BYTES, "0", 0, 65536, NULL, "bytes",
     "distance ahead of a line of code at which lines are prefetched; 0: code is fetched when it is needed"},
    {"sm.fetch_miss", CFG_INT, "0", 0, 10000, NULL, "core cycles", "time from the answer to a miss of code to its first instruction"},
    {"sm.unified_texture", CFG_BOOL, "false", 0, 0, NULL, "", "textures go through L1D; ld.global.nc always does"},
    {"sm.reply_queue", CFG_INT, "8", 1, 1024, NULL, "packets", "packets from the network that can wait at the SM"},
    {"sm.reply_rate", CFG_INT, "1", 1, 64, NULL, "packets", "packets that the SM takes from the network a cycle"},
    UNIT("alu", "4", "1", "integer add, logic, compare, move"),
    UNIT("imul", "4", "2", "integer multiply"),
    UNIT("imad", "5", "1", "integer multiply-add"),
    UNIT("idiv", "145", "8", "integer divide and remainder"),
    UNIT("shift", "4", "1", "shifts and bit fields"),
    UNIT("imax", "4", "1", "integer minimum and maximum"),
    UNIT("fadd", "4", "1", "f32 add"),
    UNIT("fmul", "4", "1", "f32 multiply"),
    UNIT("ffma", "5", "1", "f32 fused multiply-add"),
    UNIT("fdiv", "39", "4", "f32 divide"),
    UNIT("fmax", "4", "1", "f32 minimum and maximum"),
    UNIT("half", "4", "1", "f16 and bf16 arithmetic"),
    UNIT("dadd", "8", "8", "f64 add"),
    UNIT("dmul", "8", "8", "f64 multiply"),
    UNIT("dfma", "10", "8", "f64 fused multiply-add"),
    UNIT("ddiv", "330", "130", "f64 divide"),
    UNIT("dmax", "19", "16", "f64 minimum and maximum"),
    UNIT("sfu", "20", "8", "approximations: sin, cos, ex2, lg2, rcp, rsqrt, sqrt"),
    UNIT("cvt", "4", "1", "conversions"),
    UNIT("tensor", "32", "16", "matrix instructions"),
    UNIT("shuffle", "26", "2", "shfl, vote, match, redux"),
    {"sm.latency.ldiv", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "latency from issue to result: integer divide and remainder of 64 bits; 0: as sm.latency.idiv"},
    {"sm.interval.ldiv", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "interval between two issues to one pipeline: integer divide and remainder of 64 bits; 0: as sm.interval.idiv"},
    {"sm.latency.xcvt", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "latency from issue to result: conversions from or to 64 bits, from floating-point to whole numbers, and between whole and "
     "floating-point numbers one of which is shorter than 32 bits; 0: as sm.latency.cvt"},
    {"sm.interval.xcvt", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "interval between two issues of these conversions to one pipeline of sm.pipes.sfu; 0: as sm.interval.cvt, on sm.pipes.sp"},
    {"sm.latency.logic", CFG_INT, "0", 0, 10000, NULL, "core cycles",
     "latency from issue to result: logic, compare, select; 0: as sm.latency.alu"},
    {"sm.interval.logic", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "interval between two issues to one pipeline: logic, compare, select; 0: as sm.interval.alu"},
    APART("drcp", "rounded reciprocal of f64", "ddiv"),
    APART("vote", "vote, activemask, elect, on sm.pipes.alu if it is not 0", "shuffle"),
    APART("match", "match of one value", "shuffle"),
    APART("redux", "redux", "shuffle"),
    {"sm.match_latency", CFG_INT, "0", 0, 1000, NULL, "core cycles", "additional latency of a match for each further value"},
    {"sm.match_interval", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "additional time that a match occupies its pipeline for each further value, doubled if it has 64 bits; 0: all are compared at "
     "once"},
    {"sm.barrier_result", CFG_INT, "0", 0, 1000, NULL, "core cycles",
     "time from the opening of a barrier until warps have the count of bar.red"},
    SEQUENCE("idiv", "integer divide and remainder of 32 bits"),
    SEQUENCE("ldiv", "integer divide and remainder of 64 bits"),
    SEQUENCE("fdiv", "f32 divide and square root, rounded"),
    SEQUENCE("ddiv", "f64 divide and square root"),
    SEQUENCE("drcp", "f64 reciprocal, where sm.latency.drcp is not 0; else as sm.sequence.ddiv"),
    SEQUENCE("dmax", "f64 minimum and maximum"),
    UNIT("other", "1", "1", "all other instructions (sm.units = opcodes)"),
    {"sm.units", CFG_CHOICE, "kinds", 0, 0, unit_rules, "",
     "what decides latency and pipeline: the kind of unit, or as in GPGPU-Sim opcode and type (add, max, mul, mad, div, functions; other)"},
    {"sm.imul_sfu", CFG_BOOL, "false", 0, 0, NULL, "", "integer multiply and multiply-add use the pipelines of sm.pipes.sfu"},
    {"sm.double_pipe", CFG_CHOICE, "dp", 0, 0, double_pipes, "", "pipelines that double precision uses"},
    {0},
};

static const struct {
  const char *key;
  enum exec_unit unit;
} units[] = {
    {"alu", EXEC_U_ALU},     {"imul", EXEC_U_IMUL},     {"imad", EXEC_U_IMAD},       {"idiv", EXEC_U_IDIV},
    {"shift", EXEC_U_SHIFT}, {"imax", EXEC_U_IMAX},     {"fadd", EXEC_U_FADD},       {"fmul", EXEC_U_FMUL},
    {"ffma", EXEC_U_FFMA},   {"fdiv", EXEC_U_FDIV},     {"fmax", EXEC_U_FMAX},       {"half", EXEC_U_HALF},
    {"dadd", EXEC_U_DADD},   {"dmul", EXEC_U_DMUL},     {"dfma", EXEC_U_DFMA},       {"ddiv", EXEC_U_DDIV},
    {"dmax", EXEC_U_DMAX},   {"sfu", EXEC_U_SFU},       {"cvt", EXEC_U_CVT},         {"tensor", EXEC_U_TENSOR},
    {"shuffle", EXEC_U_SHUFFLE}, {"other", EXEC_U_OTHER},
};

/* Instructions that an assembler writes as a sequence. */
static const struct {
  const char *key;
  enum exec_unit unit;
} sequences[] = {{"sm.sequence.idiv", EXEC_U_IDIV}, {"sm.sequence.ldiv", EXEC_U_LDIV}, {"sm.sequence.fdiv", EXEC_U_FDIV},
                 {"sm.sequence.ddiv", EXEC_U_DDIV}, {"sm.sequence.dmax", EXEC_U_DMAX}, {"sm.sequence.drcp", EXEC_U_DRCP}};

const struct stat_def sm_stat_defs[SM_STATS] = {
    [SM_S_CYCLES] = {"sm.active_cycles", "cycles", "cycles in which an SM held at least one CTA, summed over SMs", "sm__cycles_active.sum"},
    [SM_S_WARP_INSTRUCTIONS] = {"sm.warp_instructions", "instructions", "instructions issued by warps", "smsp__inst_executed.sum"},
    [SM_S_THREAD_INSTRUCTIONS] = {"sm.thread_instructions", "instructions",
                                  "instructions executed by threads whose guard was true", "smsp__thread_inst_executed_pred_on.sum"},
    [SM_S_CTAS] = {"sm.ctas", "CTAs", "CTAs completed", ""},
    [SM_S_LOADS] = {"sm.loads", "instructions", "loads and atomics that waited for memory below shared memory", ""},
    [SM_S_STORES] = {"sm.stores", "instructions", "stores to global and local memory", ""},
    [SM_S_LOAD_LATENCY] = {"sm.load_latency", "cycles", "latency of loads from issue to last byte, summed over loads", ""},
    [SM_S_SHARED] = {"sm.shared_accesses", "instructions", "shared-memory instructions",
                     "smsp__inst_executed_op_shared.sum"},
    [SM_S_SHARED_CYCLES] = {"sm.shared_cycles", "cycles", "cycles in which the shared-memory banks were busy", ""},
    [SM_S_CONFLICTS] = {"sm.bank_conflicts", "cycles",
                        "cycles of sm.shared_cycles caused by bank conflicts", "l1tex__data_bank_conflicts_pipe_lsu.sum"},
    [SM_S_SEGMENTS] = {"sm.segments", "accesses", "128-byte segments made by global and local instructions",
                       "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    [SM_S_MEMORY_INSTRUCTIONS] = {"sm.memory_instructions", "instructions", "global and local memory instructions", ""},
    [SM_S_SEQUENCE] = {"sm.sequence_slots", "slots",
                       "issue slots taken by the further instructions of sequences (sm.sequence.*, sm.lower)", ""},
    [SM_S_FOLDED] = {"sm.folded_instructions", "warp instructions",
                     "instructions that became part of another machine instruction and took no issue slot (sm.lower)", ""},
    [SM_S_DUAL] = {"sm.dual_issues", "warp instructions",
                   "instructions issued in the same slot as another of their warp (sm.dual_issue)", ""},
    [SM_S_MISS_REPLIES] = {"sm.miss_replies", "replies", "replies that filled L1D for loads of global memory", ""},
    [SM_S_MISS_LATENCY] = {"sm.miss_latency", "cycles", "latency from L1D access to reply, summed over sm.miss_replies", ""},
    [SM_S_BULK_COPIES] = {"sm.bulk_copies", "instructions", "bulk and tensor copies between global and shared memory that were issued", ""},
    [SM_S_BULK_LINES] = {"sm.bulk_lines", "lines", "lines of global memory that bulk and tensor copies asked for or wrote", ""},
    [SM_S_DSM_BYTES] = {"sm.dsm_bytes", "bytes", "bytes of shared memory of other CTAs of a cluster that were read or written", ""},
    [SM_S_WAIT_MEMORY] = {"sm.warps_memory", "warp cycles",
                          "cycles that warps waited for loads of global or local memory, summed over warps",
                          "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"},
    [SM_S_WAIT_SHORT] = {"sm.warps_short", "warp cycles",
                         "cycles that warps waited for shared memory, constants and special functions, summed over warps",
                         "smsp__average_warps_issue_stalled_short_scoreboard_per_issue_active.ratio"},
    [SM_S_WAIT_RESULT] = {"sm.warps_result", "warp cycles", "cycles that warps waited for results of a fixed latency, summed over warps",
                          "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"},
    [SM_S_WAIT_BARRIER] = {"sm.warps_barrier", "warp cycles", "cycles that warps waited at barriers, summed over warps",
                           "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"},
    [SM_S_WAIT_FENCE] = {"sm.warps_fence", "warp cycles", "cycles that warps waited for their own writes at a fence, summed over warps",
                         "smsp__average_warps_issue_stalled_membar_per_issue_active.ratio"},
    [SM_S_WAIT_FETCH] = {"sm.warps_fetch", "warp cycles", "cycles that warps waited for instructions, summed over warps",
                         "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio"},
    [SM_S_WAIT_QUEUE] = {"sm.warps_queue", "warp cycles",
                         "cycles that warps with an instruction of global or local memory were ready and did not issue, summed over warps",
                         "smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"},
    [SM_S_WAIT_SHARED] = {"sm.warps_shared", "warp cycles",
                          "cycles that warps with an instruction of shared memory were ready and did not issue it, summed over warps",
                          "smsp__average_warps_issue_stalled_mio_throttle_per_issue_active.ratio"},
    [SM_S_WAIT_TURN] = {"sm.warps_ready", "warp cycles",
                        "cycles that warps with another instruction were ready and did not issue it, summed over warps",
                        "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio"},
    [SM_S_STALL_FIRST + SM_STALL_NONE] = {"sm.issue_slots_used", "slots", "scheduler cycles in which a warp issued", ""},
    [SM_S_STALL_FIRST + SM_STALL_IDLE] = {"sm.stall_idle", "slots", "issue slots lost: no warp was resident, or the SM was halted", ""},
    [SM_S_STALL_FIRST + SM_STALL_HELD] = {"sm.stall_held", "slots",
                                          "issue slots lost: no warp was resident but those held back by sm.warp_limit or the "
                                          "scheduler", ""},
    [SM_S_STALL_FIRST + SM_STALL_BARRIER] = {"sm.stall_barrier", "slots", "issue slots lost: all warps waited at barriers", ""},
    [SM_S_STALL_FIRST + SM_STALL_FENCE] = {"sm.stall_fence", "slots", "issue slots lost: warps waited for their own writes at a fence", ""},
    [SM_S_STALL_FIRST + SM_STALL_FETCH] = {"sm.stall_fetch", "slots", "issue slots lost: warps waited for instructions", ""},
    [SM_S_STALL_FIRST + SM_STALL_MEMORY] = {"sm.stall_memory", "slots", "issue slots lost: warps waited for loads", ""},
    [SM_S_STALL_FIRST + SM_STALL_ALU] = {"sm.stall_alu", "slots", "issue slots lost: warps waited for arithmetic results", ""},
    [SM_S_STALL_FIRST + SM_STALL_PIPE] = {"sm.stall_pipe", "slots", "issue slots lost: a ready warp's pipeline was busy", ""},
    [SM_S_STALL_FIRST + SM_STALL_LSU] = {"sm.stall_lsu", "slots", "issue slots lost: a ready warp found the load/store queue full", ""},
    [SM_S_OP_FIRST + SM_OP_INT] = {"sm.int_operations", "instructions",
                                   "instructions of threads: integer, logic, move, "
                                   "shuffle", "smsp__sass_thread_inst_executed_op_integer_pred_on.sum"},
    [SM_S_OP_FIRST + SM_OP_MULTIPLY] = {"sm.multiply_operations", "instructions", "instructions of threads: integer multiply", ""},
    [SM_S_OP_FIRST + SM_OP_FP32] = {"sm.fp32_operations", "instructions",
                                    "instructions of threads: single precision and "
                                    "half", "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"},
    [SM_S_OP_FIRST + SM_OP_FP64] = {"sm.fp64_operations", "instructions",
                                    "instructions of threads: double precision", "smsp__sass_thread_inst_executed_op_fp64_pred_on.sum"},
    [SM_S_OP_FIRST + SM_OP_SFU] = {"sm.sfu_operations", "instructions",
                                   "instructions of threads: special functions, conversions, divisions", ""},
    [SM_S_OP_FIRST + SM_OP_TENSOR] = {"sm.tensor_operations", "instructions", "instructions of threads: matrix instructions", ""},
    [SM_S_OP_FIRST + SM_OP_OTHER] = {"sm.other_operations", "instructions", "instructions of threads: memory, branches, barriers", ""},
    [SM_S_REGISTER_READS] = {"sm.register_reads", "operands", "registers that threads read, predicates too", ""},
    [SM_S_REGISTER_WRITES] = {"sm.register_writes", "operands", "registers that threads wrote, predicates too", ""},
};

#define RO_DEFS(name, what)                                                                                            \
  {[RO_S_ACCESSES] = {name ".accesses", "accesses", "lookups in the " what " caches", ""},                             \
   [RO_S_HITS] = {name ".hits", "accesses", "hits in the " what " caches", ""},                                        \
   [RO_S_MISSES] = {name ".misses", "accesses", "misses in the " what " caches, merged ones too", ""},                 \
   [RO_S_STALLS] = {name ".stalls", "attempts", "lookups in the " what " caches refused: no free MSHR or queue slot", ""}}

const struct stat_def sm_ro_stat_defs[3][RO_STATS] = {
    RO_DEFS("const", "constant"),
    RO_DEFS("tex", "texture"),
    RO_DEFS("inst", "instruction"),
};

static uint32_t number(const struct cfg *cfg, const char *key) { return (uint32_t)cfg_int(cfg, key); }

/* Which pool of pipelines an instruction of a unit goes to. */
static void choose_pipes(struct sm_config *c, const struct cfg *cfg) {
  static const uint8_t usual[EXEC_UNITS] = {
      [EXEC_U_IDIV] = SM_PIPE_SFU,  [EXEC_U_LDIV] = SM_PIPE_SFU, [EXEC_U_FDIV] = SM_PIPE_SFU,
      [EXEC_U_DADD] = SM_PIPE_DP,   [EXEC_U_DMUL] = SM_PIPE_DP,
      [EXEC_U_DFMA] = SM_PIPE_DP,   [EXEC_U_DDIV] = SM_PIPE_DP,  [EXEC_U_DRCP] = SM_PIPE_DP,
      [EXEC_U_DMAX] = SM_PIPE_DP,   [EXEC_U_SFU] = SM_PIPE_SFU,
      [EXEC_U_TENSOR] = SM_PIPE_TENSOR, [EXEC_U_LDST] = SM_PIPE_LSU, [EXEC_U_TEX] = SM_PIPE_LSU,
  }; /* the rest: SM_PIPE_SP */
  static const uint8_t pipe_of[] = {[DOUBLE_DP] = SM_PIPE_DP, [DOUBLE_SP] = SM_PIPE_SP, [DOUBLE_SFU] = SM_PIPE_SFU};
  uint8_t dp = pipe_of[cfg_option(cfg, "sm.double_pipe")];
  for (int u = 0; u < EXEC_UNITS; u++) c->pipe[u] = usual[u] == SM_PIPE_DP ? dp : usual[u];
  if (dp == SM_PIPE_SP) c->pipe[EXEC_U_DDIV] = c->pipe[EXEC_U_DRCP] = SM_PIPE_SFU; /* divisions are functions */
  if (cfg_int(cfg, "sm.interval.xcvt")) c->pipe[EXEC_U_XCVT] = SM_PIPE_SFU;
  if (cfg_int(cfg, "sm.pipes.alu"))
    c->pipe[EXEC_U_LOGIC] = c->pipe[EXEC_U_SHIFT] = c->pipe[EXEC_U_IMAX] = c->pipe[EXEC_U_FMAX] = SM_PIPE_ALU;
  if (cfg_int(cfg, "sm.pipes.alu") && cfg_int(cfg, "sm.interval.vote")) c->pipe[EXEC_U_VOTE] = SM_PIPE_ALU;
  if (cfg_bool(cfg, "sm.imul_sfu")) c->pipe[EXEC_U_IMUL] = c->pipe[EXEC_U_IMAD] = SM_PIPE_SFU;
  if (c->own_pipes) {
    c->pipe[EXEC_U_IMUL] = c->pipe[EXEC_U_IMAD] = c->pipe[EXEC_U_HALF] = SM_PIPE_PRODUCT;
    c->pipe[EXEC_U_ALU] = SM_PIPE_SUM;
    c->pipe[EXEC_U_CVT] = SM_PIPE_ALU;
    c->pipe[EXEC_U_SHUFFLE] = c->pipe[EXEC_U_MATCH] = c->pipe[EXEC_U_REDUX] = SM_PIPE_SFU;
  }
  c->by_opcode = cfg_option(cfg, "sm.units") == BY_OPCODE;
}

/* Which units' results reach each other at once. */
static void choose_sides(struct sm_config *c) {
  static const uint8_t side[EXEC_UNITS] = {
      [EXEC_U_FADD] = SM_SIDE_PRODUCTS, [EXEC_U_FMUL] = SM_SIDE_PRODUCTS, [EXEC_U_FFMA] = SM_SIDE_PRODUCTS,
      [EXEC_U_IMUL] = SM_SIDE_PRODUCTS, [EXEC_U_IMAD] = SM_SIDE_PRODUCTS, [EXEC_U_HALF] = SM_SIDE_PRODUCTS,
      [EXEC_U_ALU] = SM_SIDE_LOGIC,     [EXEC_U_LOGIC] = SM_SIDE_LOGIC,   [EXEC_U_SHIFT] = SM_SIDE_LOGIC,
      [EXEC_U_IMAX] = SM_SIDE_LOGIC,    [EXEC_U_FMAX] = SM_SIDE_LOGIC,    [EXEC_U_CVT] = SM_SIDE_LOGIC,
  };
  memcpy(c->side, side, sizeof side);
}

static void read_pipeline(struct sm_config *c, const struct cfg *cfg) {
  c->pipeline = (struct sm_pipeline_config){
      .banks = number(cfg, "sm.register_banks"), .buses = number(cfg, "sm.result_buses"),
      .parallel_reads = cfg_bool(cfg, "sm.parallel_reads"), .memory_stage = cfg_bool(cfg, "sm.memory_stage"),
      .collectors = {c->collectors && c->collectors <= SM_SET_COLLECTORS ? c->collectors : SM_SET_COLLECTORS,
                     number(cfg, "sm.collectors_sfu"), number(cfg, "sm.collectors_mem")},
      .units = {number(cfg, "sm.pipes.sp"), number(cfg, "sm.pipes.sfu"), 1}};
  if (c->pipeline.banks) c->collectors = 0;
  c->alternate_schedulers = cfg_bool(cfg, "sm.alternate_schedulers");
  c->instruction_buffer = number(cfg, "sm.instruction_buffer");
  c->reply_latency = number(cfg, "sm.reply_latency");
  c->exit_latency = number(cfg, "sm.exit_latency");
  c->free_at_exit = cfg_bool(cfg, "sm.free_at_exit");
  c->packed_code = cfg_bool(cfg, "sm.packed_code");
  c->shared_params = cfg_bool(cfg, "sm.shared_params");
}

/* Units that are like another one where a GPU does not tell them apart. */
static void read_apart(struct sm_config *c, const struct cfg *cfg) {
  static const struct {
    const char *latency, *interval;
    enum exec_unit unit, usual;
  } apart[] = {{"sm.latency.ldiv", "sm.interval.ldiv", EXEC_U_LDIV, EXEC_U_IDIV},
               {"sm.latency.xcvt", "sm.interval.xcvt", EXEC_U_XCVT, EXEC_U_CVT},
               {"sm.latency.drcp", "sm.interval.drcp", EXEC_U_DRCP, EXEC_U_DDIV},
               {"sm.latency.vote", "sm.interval.vote", EXEC_U_VOTE, EXEC_U_SHUFFLE},
               {"sm.latency.match", "sm.interval.match", EXEC_U_MATCH, EXEC_U_SHUFFLE},
               {"sm.latency.redux", "sm.interval.redux", EXEC_U_REDUX, EXEC_U_SHUFFLE},
               {"sm.latency.logic", "sm.interval.logic", EXEC_U_LOGIC, EXEC_U_ALU}};
  for (size_t i = 0; i < sizeof apart / sizeof *apart; i++) {
    uint32_t latency = number(cfg, apart[i].latency), interval = number(cfg, apart[i].interval);
    c->latency[apart[i].unit] = latency ? latency : c->latency[apart[i].usual];
    c->interval[apart[i].unit] = interval ? interval : c->interval[apart[i].usual];
  }
}

/* How much of a function's code is in the instruction cache when it begins. */
static uint64_t preloaded_bytes(const struct cfg *cfg) {
  int64_t most = cfg_int(cfg, "sm.preload_bytes"), cache = cfg_int(cfg, "sm.inst_cache");
  return cfg_bool(cfg, "sm.preload_code") ? (uint64_t)(most < cache ? most : cache) : 0;
}

/* sm.own_pipes needs pipelines of each kind for every scheduler. */
static bool can_own_pipes(const struct sm_config *c, const struct cfg *cfg, struct err *e) {
  if (c->own_pipes && c->pipeline.banks) return cfg_complain(cfg, "sm.own_pipes", e, "it does not go with sm.register_banks");
  for (unsigned p = 0; c->own_pipes && p < SM_PIPE_LSU; p++)
    if (!c->pipes[p] || c->pipes[p] % c->schedulers)
      return cfg_complain(cfg, "sm.own_pipes", e, "each of %u schedulers wants as many of every kind of pipelines (sm.pipes.*)",
                          c->schedulers);
  return true;
}

/* Units whose instructions may be plain (struct sm_config); a configuration with features that concern all units has none. */
static void choose_plain(struct sm_config *c) {
  bool rare = c->own_pipes || c->atomic_loop || c->fence_latency, slow = false;
  for (unsigned i = 0; i < SM_SLOW; i++) slow |= c->slow[i] || c->slow_double[i];
  for (int u = 0; u < EXEC_UNITS; u++) c->plain[u] = !rare && c->sequence[u] <= 1;
  static const enum exec_unit never[] = {EXEC_U_TENSOR, EXEC_U_BRANCH, EXEC_U_BARRIER, EXEC_U_FENCE, EXEC_U_EXIT};
  static const enum exec_unit by_operands[] = {EXEC_U_FDIV, EXEC_U_DDIV, EXEC_U_DRCP};
  for (size_t i = 0; i < sizeof never / sizeof *never; i++) c->plain[never[i]] = false;
  if (c->copy_interval > 1 || c->map_latency || c->wait_limit) c->plain[EXEC_U_LDST] = false;
  for (size_t i = 0; slow && i < sizeof by_operands / sizeof *by_operands; i++) c->plain[by_operands[i]] = false;
}

/* Latency, interval and length of the sequence for each unit. */
static void read_units(struct sm_config *c, const struct cfg *cfg) {
  for (int u = 0; u < EXEC_UNITS; u++) c->latency[u] = c->interval[u] = c->sequence[u] = 1;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    char key[64];
    snprintf(key, sizeof key, "sm.latency.%s", units[i].key);
    c->latency[units[i].unit] = number(cfg, key);
    snprintf(key, sizeof key, "sm.interval.%s", units[i].key);
    c->interval[units[i].unit] = number(cfg, key);
  }
  read_apart(c, cfg);
  for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++) c->sequence[sequences[i].unit] = number(cfg, sequences[i].key);
  if (!cfg_int(cfg, "sm.latency.drcp")) c->sequence[EXEC_U_DRCP] = c->sequence[EXEC_U_DDIV];
}

/* Whether the values are compatible. */
static bool check_config(const struct sm_config *c, const struct cfg *cfg, struct err *e) {
  if (c->pipeline.banks && (c->pipes[SM_PIPE_SP] > SM_MAX_UNITS || c->pipes[SM_PIPE_SFU] > SM_MAX_UNITS))
    return cfg_complain(cfg, "sm.register_banks", e, "at most %d pipelines of a kind go with register banks", SM_MAX_UNITS);
  for (size_t i = 0; c->pipeline.banks && i < sizeof units / sizeof *units; i++)
    if (c->latency[units[i].unit] > SM_AHEAD / 2)
      return cfg_complain(cfg, "sm.register_banks", e, "a latency of more than %d cycles does not go with register banks (sm.latency.%s)",
                          SM_AHEAD / 2, units[i].key);
  if (!can_own_pipes(c, cfg, e)) return false;
  if (c->warps * EXEC_LANES < c->threads)
    return cfg_complain(cfg, "sm.threads", e, "%u warps hold only %u threads", c->warps, c->warps * EXEC_LANES);
  return true;
}

bool sm_read_config(struct sm_config *c, const struct cfg *cfg, struct err *e) {
  *c = (struct sm_config){
      .threads = number(cfg, "sm.threads"), .warps = number(cfg, "sm.warps"), .ctas = number(cfg, "sm.ctas"),
      .registers = number(cfg, "sm.registers"), .shared_bytes = number(cfg, "sm.shared"),
      .shared_reserved = number(cfg, "sm.shared_reserved"), .l1_shared = number(cfg, "sm.l1_shared"),
      .register_unit = number(cfg, "sm.register_unit"), .schedulers = number(cfg, "sm.schedulers"),
      .rotate_schedulers = cfg_bool(cfg, "sm.rotate_schedulers"), .dual_issue = cfg_bool(cfg, "sm.dual_issue"),
      .own_pipes = cfg_bool(cfg, "sm.own_pipes"), .register_ports = number(cfg, "sm.register_ports"),
      .cross_latency = number(cfg, "sm.cross_latency"), .literal_latency = number(cfg, "sm.literal_latency"),
      .special_latency = number(cfg, "sm.special_latency"), .special_interval = number(cfg, "sm.special_interval"),
      .warp_limit = number(cfg, "sm.warp_limit"),
      .shared_latency = number(cfg, "sm.shared_latency"), .const_latency = number(cfg, "sm.const_latency"),
      .param_latency = number(cfg, "sm.param_latency"),
      .tex_latency = number(cfg, "sm.tex_latency"), .branch_latency = number(cfg, "sm.branch_latency"),
      .guard_latency = number(cfg, "sm.guard_latency"), .barrier_latency = number(cfg, "sm.barrier_latency"),
      .cta_latency = number(cfg, "sm.cta_latency"), .cta_interval = number(cfg, "sm.cta_interval"),
      .warp_interval = number(cfg, "sm.warp_interval"),
      .cluster_latency = number(cfg, "sm.cluster_latency"), .dsm_latency = number(cfg, "sm.dsm_latency"),
      .dsm_bytes = number(cfg, "sm.dsm_bytes"),
      .copy_latency = number(cfg, "sm.copy_latency"),
      .copy_interval = number(cfg, "sm.copy_interval"), .map_latency = number(cfg, "sm.map_latency"),
      .wait_limit = number(cfg, "sm.wait_limit"), .empty_accesses = cfg_bool(cfg, "sm.empty_accesses"),
      .wgmma_latency = number(cfg, "sm.wgmma_latency"), .matrix_sizes = cfg_bool(cfg, "sm.matrix_sizes"),
      .barrier_interval = number(cfg, "sm.barrier_interval"), .return_interval = number(cfg, "sm.return_interval"),
      .fetch_latency = number(cfg, "sm.fetch_latency"), .lsu_queue = number(cfg, "sm.lsu_queue"),
      .instruction_bytes = number(cfg, "sm.instruction_bytes"), .unified_texture = cfg_bool(cfg, "sm.unified_texture"),
      .preloaded = preloaded_bytes(cfg),
      .match_latency = number(cfg, "sm.match_latency"), .match_interval = number(cfg, "sm.match_interval"),
      .barrier_result = number(cfg, "sm.barrier_result"),
      .code_rate = number(cfg, "sm.code_rate"), .code_step = number(cfg, "sm.code_step"), .code_jump = number(cfg, "sm.code_jump"),
      .fetch_ahead = (uint64_t)cfg_int(cfg, "sm.fetch_ahead"), .fetch_miss = number(cfg, "sm.fetch_miss"),
      .const_serial = cfg_bool(cfg, "sm.const_serial"), .const_interval = number(cfg, "sm.const_interval"),
      .merged_phases = cfg_bool(cfg, "sm.merged_phases"),
      .control_interval = number(cfg, "sm.control_interval"), .meet_interval = number(cfg, "sm.meet_interval"),
      .cache_bytes = {(uint64_t)cfg_int(cfg, "sm.const_cache"), (uint64_t)cfg_int(cfg, "sm.tex_cache"),
                      (uint64_t)cfg_int(cfg, "sm.inst_cache")},
      .const_line = cfg_option(cfg, "sm.const_line") == CONST_HALF ? MEM_LINE / 2 : MEM_LINE,
      .reply_rate = number(cfg, "sm.reply_rate")};
  c->segments = cfg_option(cfg, "sm.coalesce") == BY_SEGMENTS;
  c->store_elements = cfg_bool(cfg, "sm.store_elements");
  c->atomic_parts = number(cfg, "sm.atomic_parts");
  c->keep_l1 = cfg_option(cfg, "sm.keep_caches") == KEEP_ALL;
  c->keep_readonly = cfg_option(cfg, "sm.keep_caches") != KEEP_NONE;
  c->atomic_segment = number(cfg, "sm.atomic_segment");
  c->atomic_passes = cfg_bool(cfg, "sm.atomic_passes");
  c->atomic_loop = number(cfg, "sm.atomic_loop");
  c->atomic_retry = number(cfg, "sm.atomic_retry");
  static const char *const slow[SM_SLOW] = {"sm.slow_path.div", "sm.slow_path.rcp", "sm.slow_path.sqrt"};
  static const char *const slow_double[SM_SLOW] = {"sm.slow_path.ddiv", "sm.slow_path.drcp", "sm.slow_path.dsqrt"};
  for (unsigned i = 0; i < SM_SLOW; i++) c->slow[i] = number(cfg, slow[i]), c->slow_double[i] = number(cfg, slow_double[i]);
  c->fence_latency = number(cfg, "sm.fence_latency");
  c->fence_touched = number(cfg, "sm.fence_touched");
  c->fence_far = number(cfg, "sm.fence_far");
  c->fence_interval = number(cfg, "sm.fence_interval");
  c->fence_cta = number(cfg, "sm.fence_cta");
  c->collectors = number(cfg, "sm.collectors");
  read_pipeline(c, cfg);
  c->pipes[SM_PIPE_SP] = number(cfg, "sm.pipes.sp");
  c->pipes[SM_PIPE_ALU] = number(cfg, "sm.pipes.alu");
  c->pipes[SM_PIPE_SFU] = number(cfg, "sm.pipes.sfu");
  c->pipes[SM_PIPE_DP] = number(cfg, "sm.pipes.dp");
  c->pipes[SM_PIPE_TENSOR] = number(cfg, "sm.pipes.tensor");
  read_units(c, cfg);
  choose_pipes(c, cfg);
  choose_sides(c);
  choose_plain(c);
  return check_config(c, cfg, e);
}
