import * as z from 'zod';
import { lazy } from '../../../../shared/primitives/lazy.ts';
import { validatedConfig } from './config-schemas.ts';

const word = lazy(() => z.string().min(1).max(255));

export const previewBody = lazy(() =>
  z
    .strictObject({
      id: z.uuid().optional().describe('A source whose stored secrets are used.'),
      provider: z.string().min(1).max(64),
      config: validatedConfig(),
      externalId: word().optional().describe('Id of the user at the source.'),
      userName: word().optional().describe('Instead of the id.'),
    })
    .refine(({ externalId, userName }) => (externalId === undefined) !== (userName === undefined), {
      path: ['userName'],
      message: 'names the user, or externalId does',
    }),
);

const text = lazy(() => z.string().nullable());

export const preview = lazy(() =>
  z
    .object({
      externalId: z.string(),
      refused: text().describe('Why the user becomes no account.'),
      inScope: z.boolean().describe('Whether the scope of the configuration takes the user.'),
      user: z
        .object({
          userName: z.string(),
          ...{ email: text(), phone: text(), fullName: text(), nickName: text() },
          ...{ givenName: text(), familyName: text(), sourceExternalId: text() },
          active: z.boolean(),
          roles: z.array(z.string()),
          attributes: z.record(z.string(), z.string()),
        })
        .nullable(),
      departments: z.array(z.string()),
      account: z
        .object({
          id: z.string(),
          changes: z.array(z.object({ field: z.string(), from: z.unknown(), to: z.unknown() })),
        })
        .nullable()
        .describe('The account that is linked with the user, and what would change.'),
    })
    .meta({ id: 'IdentityMappingPreview' }),
);

export const previewExample = {
  ...{ externalId: '2819c223', refused: null, inScope: true },
  user: {
    ...{ userName: 'lan.nguyen', email: 'lan.nguyen@example.com', phone: null },
    ...{ fullName: 'Nguyễn Thị Lan', nickName: null, givenName: 'Lan', familyName: 'Nguyễn' },
    ...{ sourceExternalId: 'E-1001', active: true, roles: ['editor'] },
    attributes: { badge: '4711' },
  },
  departments: ['Sales'],
  account: null,
};
