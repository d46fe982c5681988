"""Runs the local cloud. It looks at its schedules every second instead of every ten: people wait for timers."""

from ministack.app import main
from ministack.services import scheduler

scheduler._SCHEDULE_TICK_INTERVAL = 1
main()
