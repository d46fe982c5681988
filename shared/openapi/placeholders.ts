/** Placeholder in paths for a configured property, such as `dynamic.api-prefix`. */
export const pathPlaceholder = (property: string): string => `/~${property}~`;

/** Replaces the placeholders of a path. */
export function fillPlaceholders(path: string, propertyOf: (property: string) => string): string {
  return path.replace(/\/~([^~]+)~/g, (_, property: string) => propertyOf(property));
}
