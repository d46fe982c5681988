/** A JSON object; what it inherits does not count. */
export type ObjectValue = Readonly<Record<string, unknown>>;

export const isObjectValue = (value: unknown): value is ObjectValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of an own data property: nothing inherited is found, and no getter runs. */
export function ownValue(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined;
  return Object.getOwnPropertyDescriptor(holder, name)?.value;
}
