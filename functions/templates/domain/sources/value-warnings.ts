import type { MergeField } from '../fields/field.ts';
import { Warnings } from './warnings.ts';

/** Warnings of values that are missing, left out or not to be computed. */
export class ValueWarnings extends Warnings {
  ofNothing(field: string, isDeclared: boolean): void {
    if (isDeclared)
      this.add({ code: 'FIELD_VALUE_MISSING', field, message: 'The field has no value.' });
    else this.add({ code: 'FIELD_NOT_BOUND', field, message: 'The field is not declared.' });
  }

  ofOverride(field: string): void {
    const message = 'The field has a value of its own; that of entityData is left out.';
    this.add({ code: 'ENTITY_DATA_OVERRIDE_IGNORED', field, message });
  }

  ofError({ name }: MergeField, message: string): void {
    this.add({ code: 'COMPUTED_ERROR', field: name, message });
  }
}
