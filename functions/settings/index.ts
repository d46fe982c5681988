export { AesEncryptService } from './encrypt-service.ts';
export { REFRESH_ALL, REFRESH_TOPIC, type RefreshNotice } from './events.ts';
export { createSettingsModule, type SettingsModule } from './module.ts';
export { encryptionPort, reEncryptionPort, settingValuesPort } from './port.ts';
export { RefreshService } from './refresh-service.ts';
export { type SaveOutcome, StandardSettingService } from './service.ts';
export {
  createEncryptService,
  createSettingsServices,
  type SettingsServices,
} from './services.ts';
export type { SaveSetting } from './setting-contents.ts';
