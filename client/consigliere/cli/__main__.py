"""The command line as `python -m consigliere.cli`, for where no program was installed."""

from consigliere.cli.main import run

run()
