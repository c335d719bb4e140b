"""The Python module against the built library and command. Called with PYTHONPATH=python and HEDDLE_HOME=BUILD."""

import array
import ctypes
import json
import os
import pathlib
import runpy
import sys
import tempfile
import unittest

import heddle

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCALE = """.version 7.0
.target sm_75
.address_size 64
.global .u32 calls;
.visible .entry scale(.param .u64 x, .param .f32 a, .param .u32 n) {
  .reg .pred %p; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<6>;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r1, %r1, %r2, %r3;
  ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r1, %r4; @%p bra DONE;
  ld.param.u64 %d1, [x]; ld.param.f32 %f1, [a]; mad.wide.u32 %d3, %r1, 4, %d1;
  ld.global.f32 %f2, [%d3]; mul.f32 %f2, %f1, %f2; st.global.f32 [%d3], %f2;
  mov.u64 %d4, calls; atom.global.add.u32 %r5, [%d4], 1;
DONE: ret;
}
"""


class Simulator(unittest.TestCase):
    def setUp(self):
        self.gpu = heddle.GPU("gtx480")
        self.module = self.gpu.load(SCALE)

    def tearDown(self):
        self.gpu.close()

    def test_a_kernel_runs_on_buffers_and_tells_its_cycles(self):
        x = self.gpu.put(array.array("f", range(1000)))
        stats = self.module["scale"].launch(grid=4, block=256, args=[x, heddle.f32(2.0), heddle.u32(1000)])
        self.assertEqual(list(x.get("f")), [2.0 * i for i in range(1000)])
        self.assertGreater(stats["cycles"], 100)
        self.assertEqual(stats["cycles"], self.gpu.stats()["cycles"])
        self.assertEqual(self.module.variable("calls").get("I")[0], 1000)

    def test_the_same_calls_give_the_same_cycles(self):
        def cycles():
            with heddle.GPU("gtx480", {"l1.ways": 2}) as gpu:
                x = gpu.put(bytes(4096))
                return gpu.load(SCALE)["scale"].launch(4, 256, [x, heddle.f32(1), heddle.u32(1024)])["cycles"]
        self.gpu.close()
        self.assertEqual(cycles(), cycles())

    def test_statistics_of_each_launch_add_up(self):
        x = self.gpu.alloc(4096)
        for _ in range(3):
            self.module["scale"].launch(4, 256, [x, heddle.f32(1), heddle.u32(1024)])
        each = [self.gpu.launch_stats(i)["sm.warp_instructions"] for i in range(3)]
        self.assertEqual(sum(each), self.gpu.stats()["sm.warp_instructions"])
        self.assertEqual(self.gpu.launches(), ["scale"] * 3)
        self.assertEqual(self.gpu.meanings()["sm.warp_instructions"][0], "instructions")
        with self.assertRaises(IndexError):
            self.gpu.launch_stats(3)

    def test_buffers_take_anything_with_a_buffer(self):
        x = self.gpu.alloc(16)
        x.write(b"abcd").write(bytearray(b"efgh"), 4).write(memoryview(b"ijkl"), 8).write(array.array("I", [1]), 12)
        self.assertEqual(x.read(), b"abcdefghijkl\x01\0\0\0")
        self.assertEqual(x.read(4, 4), b"efgh")
        self.assertEqual(x.fill(7).read(), b"\x07" * 16)
        self.assertEqual(len(x), 16)
        x.free()
        with self.assertRaises(heddle.HeddleError):
            x.read()

    def test_errors_are_exceptions_with_the_simulators_words(self):
        with self.assertRaisesRegex(heddle.HeddleError, "gtx48") as caught:
            heddle.GPU("gtx48")
        self.assertEqual(caught.exception.status, "BAD_INPUT")
        with self.assertRaisesRegex(heddle.HeddleError, "addd"):
            self.gpu.load(".version 7.0\n.target sm_75\n.entry k { addd.s32 a, b, c; }\n")
        with self.assertRaisesRegex(heddle.HeddleError, "scal"):
            self.module["scal"]
        with self.assertRaises(heddle.HeddleError) as caught:
            self.module["scale"].launch(1, 32, [heddle.u64(4096), heddle.f32(1), heddle.u32(32)])
        self.assertEqual(caught.exception.status, "FAULT")

    def test_arguments_have_types(self):
        with self.assertRaisesRegex(TypeError, r"heddle.u32\(3\)"):
            self.module["scale"].launch(1, 32, [self.gpu.alloc(4), heddle.f32(1), 3])
        with self.assertRaisesRegex(TypeError, "has 3 parameters, 1 given"):
            self.module["scale"].launch(1, 32, [self.gpu.alloc(4)])
        self.module["scale"].launch((1, 1), (1, 1, 1), [self.gpu.alloc(4), ctypes.c_float(1), (1).to_bytes(4, "little")])

    def test_what_kernels_print_arrives(self):
        said = []
        text = """.version 7.0
.target sm_75
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 words[4] = {104, 105, 10, 0};
.visible .entry hello() {
  .reg .b64 %d<3>; .reg .b32 %r;
  mov.u64 %d1, words; cvta.global.u64 %d2, %d1;
  { .param .b64 a; st.param.b64 [a], %d2; .param .b64 b; st.param.b64 [b], 0; .param .b32 c; call.uni (c), vprintf, (a, b); }
  ret;
}
"""
        with heddle.GPU("gtx480", functional=True, printed=said.append) as gpu:
            gpu.load(text)["hello"].launch(1, 2)
        self.assertEqual("".join(said), "hi\nhi\n")

    def test_the_report_is_that_of_the_command(self):
        self.module["scale"].launch(1, 32, [self.gpu.alloc(4), heddle.f32(1), heddle.u32(1)])
        report = self.gpu.report()
        self.assertEqual(report["cycles"], self.gpu.stats()["cycles"])
        self.assertEqual(report["kernels"][0]["name"], "scale")

    @unittest.skipUnless(__import__("importlib.util").util.find_spec("numpy"), "numpy is not installed")
    def test_numpy(self):
        import numpy
        x = self.gpu.put(numpy.arange(8, dtype=numpy.float32))
        self.module["scale"].launch(1, 32, [x, heddle.f32(3), heddle.u32(8)])
        self.assertEqual(list(x.numpy(numpy.float32)), [3.0 * i for i in range(8)])


class Command(unittest.TestCase):
    def test_a_workload_and_its_report(self):
        report = heddle.run("vectoradd", gpu="gtx480", settings={"l1.ways": 2, "sm.dual_issue": False})
        self.assertTrue(report["output_ok"])
        self.assertGreater(report["cycles"], 0)

    def test_a_program(self):
        home = os.environ["HEDDLE_HOME"]
        report = heddle.run([os.path.join(home, "heddle-workloads"), "vectoradd"], functional=True)
        self.assertGreater(report["thread_instructions"], 0)

    def test_a_failure_is_an_exception(self):
        with self.assertRaisesRegex(heddle.Failed, "vectorad") as caught:
            heddle.run("vectorad")
        self.assertEqual(caught.exception.status, 2)

    def test_a_comparison(self):
        both = heddle.compare(["vectoradd"], {"l1.ways": [2, 4]}, gpu="gtx480")
        self.assertEqual(set(both), {("vectoradd", "2"), ("vectoradd", "4")})
        with self.assertRaises(ValueError):
            heddle.compare(["vectoradd"], {"l1.ways": [2], "l1.sets": [32]})

    def test_the_list_of_workloads(self):
        self.assertIn("kmeans", heddle.workloads())

    def test_a_sweep_and_its_database(self):
        with tempfile.TemporaryDirectory() as folder:
            plan, db = os.path.join(folder, "plan.toml"), os.path.join(folder, "results.db")
            with open(plan, "w", encoding="utf-8") as file:
                file.write('workloads = ["vectoradd"]\n[vary]\n"l1.ways" = [2, 4]\n')
            heddle.sweep(plan, db)
            with heddle.Database(db) as results:
                runs = results.runs()
                self.assertEqual([r["settings"] for r in runs], ["l1.ways=2", "l1.ways=4"])
                self.assertEqual(results.stats(runs[0]["id"])["cycles"], runs[0]["cycles"])
                faster = [r for r in results.speedups("l1.ways=2") if r["settings"] == "l1.ways=4"]
                self.assertAlmostEqual(faster[0]["speedup"], runs[0]["cycles"] / runs[1]["cycles"])
            with self.assertRaises(FileNotFoundError):
                heddle.Database(os.path.join(folder, "nowhere.db"))


class Examples(unittest.TestCase):
    """The scripts and the notebook of examples/ run as they stand."""

    def run_in(self, folder, function):
        here, argv = os.getcwd(), sys.argv
        os.chdir(folder)
        try:
            sys.argv = ["example"]
            function()
        finally:
            os.chdir(here)
            sys.argv = argv

    def test_scripts(self):
        for name, leaves in (("time_a_kernel.py", None), ("compare_policies.py", None), ("sweep_and_plot.py", "speedup.svg")):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                self.run_in(folder, lambda: runpy.run_path(str(ROOT / "examples" / name), run_name="__main__"))
                if leaves:
                    self.assertIn("</svg>", pathlib.Path(folder, leaves).read_text(encoding="utf-8"))

    def test_the_cells_of_the_notebook(self):
        cells = json.loads((ROOT / "examples" / "heddle.ipynb").read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        self.assertGreaterEqual(len(code), 4)
        with tempfile.TemporaryDirectory() as folder:
            names = {}
            self.run_in(folder, lambda: [exec(compile(text, "cell", "exec"), names) for text in code])
        self.assertGreater(names["gain"], 0)


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=0).result
    wrong = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - wrong - len(result.skipped)} passed, {wrong} failed")
    sys.exit(wrong > 0)
