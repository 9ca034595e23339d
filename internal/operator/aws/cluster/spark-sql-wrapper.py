# Runs the query in the file that the first argument names and writes its result as CSV to the second one.
import io
import sys

from pyspark.sql import SparkSession

with io.open(sys.argv[1], encoding='utf-8') as f:
    query = f.read().strip().rstrip(';')
session = SparkSession.builder.appName('trowel spark-sql').enableHiveSupport().getOrCreate()
session.sql(query).write.csv(sys.argv[2])
session.stop()
