interface FaultGlobals {
  /** `true` only in bundles that are built for fault tests; everywhere else the bundler removes the points. */
  readonly SVC_FAULTS?: boolean;
  readonly svcFault?: (point: string) => void;
}

/**
 * A point where a fault test may kill the process or throw. Bundles are built with `globalThis.SVC_FAULTS` defined
 * as `false`, so a deployed function contains neither the call nor the name of the point.
 */
export function faultPoint(point: string): void {
  if ((globalThis as FaultGlobals).SVC_FAULTS) (globalThis as FaultGlobals).svcFault?.(point);
}
