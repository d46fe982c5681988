export { REFRESH_ALL, REFRESH_TOPIC } from '../../shared/refresh/epoch-items.ts';

/** Payload of `iam-config-refresh`: which key was refreshed. */
export interface RefreshNotice {
  /** Name of a setting, or `__REFRESH_ALL__`. */
  readonly key: string;
  /** Step of the refresh epoch; absent in notices of other applications. */
  readonly epoch?: number;
}
