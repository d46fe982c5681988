import type * as z from 'zod';
import { type Page, toPage } from '../../shared/http/paging.ts';
import { MASK } from '../../shared/security/secret-text.ts';
import type { ReadPage } from '../../shared/store/paged-read.ts';
import { isMasked, shown } from './domain/masking.ts';
import type { Setting } from './domain/setting.ts';
import type { settingDetail, settingValue } from './schemas.ts';
import type { ShownVersion } from './service.ts';
import type { SettingSummary } from './store/setting-repository.ts';

/** Maps a setting's value to its response; `revealed` is the unmasked value. */
export function toValue(
  setting: Setting,
  revealed?: string,
): z.output<ReturnType<typeof settingValue>> {
  const { name, version } = setting;
  return { name, ...show(setting, revealed), version };
}

/** Maps a setting with its metadata to its response. */
export function toDetail(
  setting: Setting,
  revealed?: string,
): z.output<ReturnType<typeof settingDetail>> {
  const {
    name,
    desc,
    secret = null,
    encrypted,
    version,
    createdAt,
    createdBy,
    updatedAt,
    updatedBy,
  } = setting;
  return {
    name,
    desc,
    secret,
    ...show(setting, revealed),
    encrypted,
    version,
    entity: { id: name, type: 'setting', version, createdAt, createdBy, updatedAt, updatedBy },
  };
}

/** Maps a page of settings to its response. */
export function toSettingPage(found: ReadPage<SettingSummary>): Page<unknown> {
  return toPage({
    ...found,
    content: found.content.map(
      ({
        name,
        value = '',
        truncated,
        desc,
        secret,
        encrypted,
        version,
        updatedAt,
        updatedBy,
        ...summary
      }) => {
        const masked = summary.masked || isMasked({ name, secret, value, encrypted });
        return {
          name,
          value: masked ? MASK : value,
          truncated,
          desc,
          masked,
          encrypted,
          version,
          updatedAt,
          updatedBy,
        };
      },
    ),
  });
}

/** Maps a page of versions to its response. */
export function toHistoryPage(found: ReadPage<ShownVersion>): Page<unknown> {
  return toPage({
    ...found,
    content: found.content.map(
      ({ version, change, value, masked, desc, encrypted, at, by, issuer = null, traceId }) => {
        const text = masked ? MASK : (value ?? null);
        return {
          version,
          change,
          value: change === 'DELETED' ? null : text,
          masked,
          desc,
          encrypted,
          at,
          by,
          issuer,
          traceId,
        };
      },
    ),
  });
}

function show(setting: Setting, revealed: string | undefined) {
  return revealed === undefined ? shown(setting) : { value: revealed, masked: false };
}
