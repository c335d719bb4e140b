"""Three organisations of the first-level cache on two workloads: speed-up over the plain one.

    PYTHONPATH=python python3 examples/compare_policies.py
"""

import heddle

WORKLOADS = ("kmeans", "bfs")
ORGANISATIONS = ("base", "sector", "tsc")


def main() -> None:
    reports = heddle.compare(WORKLOADS, {"l1.org": ORGANISATIONS}, gpu="gtx480")
    print(f"{'':10}" + "".join(f"{name:>10}" for name in ORGANISATIONS))
    for workload in WORKLOADS:
        base = reports[workload, "base"]["cycles"]
        print(f"{workload:10}" + "".join(f"{base / reports[workload, o]['cycles']:10.2f}" for o in ORGANISATIONS))


if __name__ == "__main__":
    main()
