/** What stands in paths for a property that the configuration decides, such as `dynamic.api-prefix`. */
export const pathPlaceholder = (property: string): string => `/~${property}~`;

/** Puts values where properties stand in a path. */
export function fillPlaceholders(path: string, propertyOf: (property: string) => string): string {
  return path.replace(/\/~([^~]+)~/g, (_, property: string) => propertyOf(property));
}
