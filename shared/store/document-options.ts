import type { TranslateConfig } from '@aws-sdk/lib-dynamodb';

/** How values travel to the table and back: numbers as JavaScript has them, whatever their size. */
export const documentOptions: TranslateConfig = {
  marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
  unmarshallOptions: { wrapNumbers: Number },
};
