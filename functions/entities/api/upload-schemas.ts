import * as z from 'zod';
import { lazy } from '../../../shared/primitives/lazy.ts';
import { entityParams, importQuery } from './record-schemas.ts';

const instant = lazy(() => z.iso.datetime({ precision: 3 }));
const sha256 = lazy(() =>
  z
    .string()
    .regex(/^[0-9a-fA-F]{64}$/, 'must be 64 hexadecimal digits')
    .describe('SHA-256 of the file in hexadecimal.'),
);
const sizeBytes = lazy(() =>
  z.int().min(1).max(268_435_456).describe('Size of the file in bytes.'),
);
const format = lazy(() => z.enum(['csv', 'json', 'ndjson']));

export const announcement = lazy(() =>
  z
    .strictObject({ format: format(), sizeBytes: sizeBytes(), sha256: sha256() })
    .meta({ id: 'ImportAnnouncement' }),
);
export const uploadParams = lazy(() => entityParams().extend({ uploadId: z.uuid() }));
/** The announcement names the format. */
export const uploadImportQuery = lazy(() => importQuery().omit({ format: true }));

export const upload = lazy(() =>
  z
    .object({
      id: z.string(),
      state: z.enum(['WAITING', 'UPLOADED', 'IMPORTED']),
      format: format(),
      sizeBytes: z.int(),
      sha256: z.string(),
      createdAt: instant(),
      expiresAt: instant().describe('When the file and its announcement vanish.'),
      jobId: z.string().optional().describe('The job that imports the file.'),
      upload: z
        .object({
          method: z.literal('PUT'),
          url: z.string(),
          headers: z.record(z.string(), z.string()).describe('To be sent as they are.'),
          expiresAt: instant(),
        })
        .optional()
        .describe('How to upload the file; only while it is waited for.'),
    })
    .meta({ id: 'ImportUpload' }),
);

export const announcementExample = {
  format: 'ndjson',
  sizeBytes: 73_400_320,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
};
export const uploadExample = {
  id: '0197b4c0-0000-7000-8000-000000000001',
  state: 'WAITING',
  ...announcementExample,
  createdAt: '2026-03-01T09:30:00.000Z',
  expiresAt: '2026-03-08T09:30:00.000Z',
  upload: {
    method: 'PUT',
    url: 'https://bucket.s3.eu-central-1.amazonaws.com/entities/imports/0197b4c0?X-Amz-Signature=0',
    headers: { 'content-type': 'application/octet-stream', 'x-amz-checksum-sha256': 'n4bQgYhM' },
    expiresAt: '2026-03-01T09:45:00.000Z',
  },
};
