/** A schedule that cannot be run: the field of `jobConfig` and the rule that it breaks. */
export class ScheduleError extends Error {
  override readonly name = 'ScheduleError';
  readonly field: 'mode' | 'value' | 'dayOfWeek' | 'timezone';

  constructor(field: ScheduleError['field'], rule: string) {
    super(rule);
    this.field = field;
  }
}
