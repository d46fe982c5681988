import type { DataType } from '../formats/data-type.ts';

/** What a client says of a value that every template of its tenant can show. */
export interface ConstantFacts {
  readonly label: string;
  readonly value: string;
  readonly dataType: DataType;
}

/** A constant of a tenant. */
export interface Constant extends ConstantFacts {
  readonly code: string;
  readonly version: number;
  readonly updatedAt: string;
  readonly updatedBy: string;
}
