import { expect, it } from 'vitest';
import { ImageValues } from '../../../../functions/templates/values/image-values.ts';
import { principalOf } from '../../../helpers/api/principals.ts';
import { admin } from '../../../helpers/api/test-tokens.ts';
import { capturedLog } from '../../../helpers/captured/captured-log.ts';

it('finds a file in a record with very many values', async () => {
  const path = 'documents/photos/an.png';
  const values = new ImageValues({
    files: {
      read: async () => ({ body: Buffer.from('png'), contentType: '', sizeBytes: 3, etag: '' }),
    },
    policies: [{ canOpen: async () => true }],
    log: capturedLog(),
  });
  const record = { numbers: Array<number>(1_000_000).fill(0), photo: path };

  const read = values.of({ principal: principalOf(admin), record })(path);

  expect(String(await read?.())).toBe('png');
});
