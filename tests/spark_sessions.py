"""Spark for tests: a JVM for each worker of pytest, with classic frames and with Connect."""

import atexit
import functools
import importlib.util
import os
import shutil
import socket
import sys
import tempfile
import warnings
from pathlib import Path

import pytest

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.eventLog.compress": "false",
    "spark.eventLog.enabled": "true",
    "spark.log.level": "OFF",
    "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
    "spark.sql.codegen.wholeStage": "false",  # compiling takes longer than a small table
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def missing() -> str | None:
    """Return why there is no Spark here, if there is none."""
    if importlib.util.find_spec("pyspark") is None:
        return "PySpark is not installed (make test SPARK=1)"
    return None if shutil.which("java") else "Java is not installed (scripts/install_servers.sh)"


def need_spark() -> None:
    """Skip a test where there is no Spark."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)


@functools.cache
def logs() -> Path:
    """Return the folder of the event log."""
    folder = Path(tempfile.mkdtemp(prefix="incrowd-spark-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.cache
def _port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@functools.cache
def classic():
    """Return a session."""
    need_spark()
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        assert SparkSession.getActiveSession() is None, "a test has started Spark by itself"
        builder = SparkSession.builder.master("local[2]")
        for key, value in SETTINGS.items():
            builder = builder.config(key, value)
        builder = builder.config("spark.eventLog.dir", logs().as_uri())
        builder = builder.config("spark.connect.grpc.binding.port", str(_port()))
        found = builder.getOrCreate()
    atexit.register(found.stop)
    return found


@functools.cache
def connect():
    """Return a session of Connect, served by the same JVM."""
    classic()
    if importlib.util.find_spec("grpc") is None:
        pytest.skip("what Spark Connect needs is not installed (make test SPARK=1)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql.connect.session import SparkSession

        found = SparkSession.builder.remote(f"sc://127.0.0.1:{_port()}").getOrCreate()
    atexit.register(found.stop)
    return found
