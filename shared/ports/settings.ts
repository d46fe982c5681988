/** Reads settings by name, for modules and hosts. */
export interface SettingService {
  /** The value of a setting, from the cache of this environment; `undefined` when there is none. */
  getValue(name: string): Promise<string | undefined>;
}

/**
 * A host's own settings service: a class that extends `StandardSettingService` (exported by `svc-cloud/settings`).
 * The module makes its one instance and serves the endpoints with it.
 */
export type SettingServiceClass = new (dependencies: never) => SettingService;

/** Checks the value of one setting, or of all with a prefix, before it is saved. */
export interface SettingValidator {
  /** Name of the setting; a `.` or `*` at its end makes it a prefix. */
  readonly name: string;
  /** @returns what is wrong with the value, or `undefined` when nothing is. */
  validate(value: string): string | undefined;
}
