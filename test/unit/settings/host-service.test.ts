import { describe, expect, it } from 'vitest';
import { createSettingsModule, StandardSettingService } from '../../../functions/settings/index.ts';
import type { SettingServiceClass } from '../../../shared/ports/settings.ts';
import { aContext } from '../../helpers/world/a-context.ts';

class UpperCaseSettings extends StandardSettingService {
  override async getValue(name: string): Promise<string | undefined> {
    return (await super.getValue(name))?.toUpperCase();
  }
}

describe("a host's settingService", () => {
  it('serves in place of the one it extends', () => {
    const context = aContext({ host: { settingService: UpperCaseSettings } });

    const { settingService } = createSettingsModule(context).services;

    expect(settingService).toBeInstanceOf(UpperCaseSettings);
  });

  it('must extend the service, or the function does not start', () => {
    class Other {
      getValue = async () => 'x';
    }
    const context = aContext({ host: { settingService: Other as SettingServiceClass } });

    expect(() => createSettingsModule(context)).toThrow('must be a class that extends');
  });
});
