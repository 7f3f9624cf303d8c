"""Made-up people whose class follows from their age and job, with every cell a secret."""

import random

import pyarrow as pa

import incrowd as ic

SECRET = "S3CRET"
JOBS = ("cook", "nurse", "smith", "clerk")


def people(n=240, seed=1, n_classes=2):
    """Return a table of name, age, job, hours and income."""
    draw = random.Random(seed)
    ages = [draw.randint(20, 59) for _ in range(n)]
    jobs = [draw.randrange(4) for _ in range(n)]
    levels = [
        min(int((age / 15 + job / 2 + draw.gauss(0, 0.4)) * n_classes / 6), n_classes - 1)
        for age, job in zip(ages, jobs, strict=True)
    ]
    return pa.table(
        {
            "name": [f"{SECRET}-{at}" for at in range(n)],
            "age": ages,
            "job": [f"{SECRET}-{JOBS[job]}" for job in jobs],
            "hours": [draw.randint(10, 50) for _ in range(n)],
            "income": [f"{SECRET}-{max(level, 0)}" for level in levels],
        }
    )


def policy(k=5, **more):
    """Return a policy for them."""
    return ic.policy(
        **{
            "quasi_identifiers": {"age": ic.intervals(5, 10, 20), "job": ic.suppression()},
            "identifiers": ["name"],
            "insensitive": ["hours"],
            "target": "income",
            "k": k,
            **more,
        }
    )
