"""Heddle from Python: a simulated GPU in this process, and the heddle command with its results.

    import heddle

    gpu = heddle.GPU("gtx480", {"l1.ways": 8})
    module = gpu.load(path="kernels.ptx")
    x = gpu.put(array.array("f", range(1000)))
    module["scale"].launch(grid=4, block=256, args=[x, heddle.f32(2.0), heddle.u32(1000)])
    print(x.get("f")[:3], gpu.stats()["cycles"])

    report = heddle.run("kmeans", gpu="gtx480", settings={"l1.org": "tsc"})     # as `heddle run --json`
    rows = heddle.Database("results.db").rows("SELECT workload, cycles FROM runs")

Standard library only; numpy arrays and pandas frames are understood where they are installed. The library and the command
are looked for in HEDDLE_HOME (a build folder or an installation's lib), beside this package, and where the system looks.
"""

from ._api import GPU, Buffer, Kernel, Module, HeddleError, f32, f64, i32, i64, u8, u16, u32, u64, version
from ._command import Failed, compare, run, sweep, workloads
from ._database import Database

__all__ = [
    "GPU", "Buffer", "Kernel", "Module", "HeddleError", "f32", "f64", "i32", "i64", "u8", "u16", "u32", "u64", "version",
    "Failed", "compare", "run", "sweep", "workloads", "Database",
]
__version__ = version()
