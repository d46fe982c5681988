import type { TranslateConfig } from '@aws-sdk/lib-dynamodb';

/** Marshalling options: numbers are JavaScript numbers, whatever their size. */
export const documentOptions: TranslateConfig = {
  marshallOptions: { removeUndefinedValues: true, allowImpreciseNumbers: true },
  unmarshallOptions: { wrapNumbers: Number },
};
