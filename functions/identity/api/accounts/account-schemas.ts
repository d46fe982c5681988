import * as z from 'zod';
import { type PageLimits, pageQuery, pageSchema } from '../../../../shared/http/paging.ts';
import { lazy } from '../../../../shared/primitives/lazy.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
const STATUSES = ['ENABLED', 'DISABLED'] as const;
const id = lazy(() => z.string().min(1).max(100));

export const userParams = lazy(() => z.strictObject({ id: id() }));

export const linkParams = lazy(() => z.strictObject({ id: id(), sourceId: id() }));

export const userQuery = (web: PageLimits) =>
  z.strictObject({
    ...pageQuery(web),
    q: z.string().min(1).max(100).optional().describe('Part of a name or mail address.'),
    departmentId: id().optional(),
    sourceId: id().optional(),
    status: z.enum(STATUSES).optional(),
  });

export const user = lazy(() =>
  z
    .object({
      id: z.string(),
      userName: z.string(),
      email: z.string().nullable(),
      phone: z.string().nullable(),
      fullName: z.string().nullable(),
      nickName: z.string().nullable(),
      givenName: z.string().nullable(),
      familyName: z.string().nullable(),
      status: z.enum(STATUSES),
      disabledBy: z
        .enum(['ADMIN', 'SOURCE'])
        .nullable()
        .describe('What an administrator disabled no source enables.'),
      orgIds: z.array(z.string()).describe('Departments; the first is the main one.'),
      roles: z.array(z.string()),
      attributes: z
        .record(z.string(), z.string())
        .describe('Fields of their own that sources map.'),
      origin: z.enum(['LOCAL', 'SOURCE', 'IDP']),
      passwordSet: z.boolean(),
      links: z.array(
        z.object({
          ...{ sourceId: z.string(), externalId: z.string() },
          alias: z.string().optional().describe('What else it is known by: externalId of SCIM.'),
        }),
      ),
      version: z.int().min(1),
      createdAt: instant(),
      updatedAt: instant(),
    })
    .meta({ id: 'User' }),
);

export const userPage = lazy(() => pageSchema(user(), 'UserPage'));

const department = lazy(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      code: z.string().describe('A group in the tokens of its users.'),
      order: z.number().nullable(),
      get children() {
        return z.array(department());
      },
    })
    .meta({ id: 'DepartmentNode' }),
);

export const tree = lazy(() =>
  z.object({ content: z.array(department()) }).meta({ id: 'DepartmentTree' }),
);
