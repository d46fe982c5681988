import { createPlatformApp } from '../lib/platform-app.ts';

createPlatformApp();
