"""A PTX kernel timed on two GPUs: how many cycles, and what its loads did.

    PYTHONPATH=python python3 examples/time_a_kernel.py
"""

import heddle

SUM = """.version 7.0
.target sm_75
.address_size 64
// Each thread adds n numbers, `stride` bytes from one to the next thread's.
.visible .entry sum(.param .u64 x, .param .u64 y, .param .u32 n, .param .u32 stride) {
  .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [x]; ld.param.u64 %d2, [y]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [stride];
  mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.u32 %r3, %r3, %r4, %r5;
  mad.wide.u32 %d3, %r3, %r2, %d1; mov.u32 %r6, 0;
L: ld.global.u32 %r7, [%d3]; add.u32 %r6, %r6, %r7; add.u64 %d3, %d3, 4;
  sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra L;
  mad.wide.u32 %d4, %r3, 4, %d2; st.global.u32 [%d4], %r6;
  ret;
}
"""


def main() -> None:
    for preset in ("gtx480", "h200"):
        for stride in (4, 128):
            with heddle.GPU(preset) as gpu:
                threads, n = 1024, 16
                x, y = gpu.alloc(threads * stride + 4 * n), gpu.alloc(4 * threads)
                stats = gpu.load(SUM)["sum"].launch(threads // 256, 256, [x, y, heddle.u32(n), heddle.u32(stride)])
                lines = stats["sm.segments"] / stats["sm.memory_instructions"]
                print(f"{preset:8} threads {stride:3} bytes apart: {stats['cycles']:6} cycles, {lines:4.1f} lines a memory instruction")


if __name__ == "__main__":
    main()
