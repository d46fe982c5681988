import type { Attributes, AttributeValue } from '../attribute-value.ts';
import { invalid } from '../errors.ts';

/** The names and values that come with the expressions of a request; each must be used. */
export class Scope {
  readonly #names: Readonly<Record<string, string>>;
  readonly #values: Attributes;
  readonly #used = new Set<string>();

  constructor({
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  }: {
    readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
    readonly ExpressionAttributeValues?: Attributes;
  }) {
    if (names && Object.keys(names).length === 0) {
      throw invalid('ExpressionAttributeNames must not be empty');
    }
    if (values && Object.keys(values).length === 0) {
      throw invalid('ExpressionAttributeValues must not be empty');
    }
    this.#names = names ?? {};
    this.#values = values ?? {};
  }

  name(placeholder: string, parameter: string): string {
    const name = this.#names[placeholder];
    if (name === undefined) {
      throw invalid(
        `Invalid ${parameter}: An expression attribute name used in the document path is not defined; attribute name: ${placeholder}`,
      );
    }
    this.#used.add(placeholder);
    return name;
  }

  value(placeholder: string, parameter: string): AttributeValue {
    const value = this.#values[placeholder];
    if (value === undefined) {
      throw invalid(
        `Invalid ${parameter}: An expression attribute value used in expression is not defined; attribute value: ${placeholder}`,
      );
    }
    this.#used.add(placeholder);
    return value;
  }

  /** Called when every expression was parsed. */
  checkAllUsed(hasExpressions: boolean): void {
    this.#checkUsed('ExpressionAttributeNames', Object.keys(this.#names), hasExpressions);
    this.#checkUsed('ExpressionAttributeValues', Object.keys(this.#values), hasExpressions);
  }

  #checkUsed(parameter: string, placeholders: readonly string[], hasExpressions: boolean): void {
    const unused = placeholders.filter((placeholder) => !this.#used.has(placeholder));
    if (unused.length === 0) return;
    throw invalid(
      hasExpressions
        ? `Value provided in ${parameter} unused in expressions: keys: {${unused.join(', ')}}`
        : `${parameter} can only be specified when using expressions`,
    );
  }
}
