/** A configuration that was checked while a function was bundled. */
export interface CheckedConfig {
  /** The text that was read, and the stage it was read for. */
  readonly text: string;
  readonly stage: string;
  readonly config: Readonly<Record<string, unknown>>;
}

interface BundleGlobals {
  /** A constant in the bundles of a deployment; elsewhere there is none. */
  readonly SVC_CHECKED_CONFIG?: CheckedConfig;
}

/**
 * The configuration of a function that is given the very text that its deployment has read and checked: reading it
 * again would take a good part of a cold start. For any other text there is none, and it has to be read.
 */
export function checkedConfig(text: string, stage: string): CheckedConfig['config'] | undefined {
  const checked = (globalThis as BundleGlobals).SVC_CHECKED_CONFIG;
  return checked?.text === text && checked.stage === stage ? checked.config : undefined;
}
