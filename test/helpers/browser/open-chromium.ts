import chromium from '@sparticuz/chromium';
import puppeteer, { type Browser } from 'puppeteer-core';

let said = false;

/**
 * Opens a headless Chromium: the one of CHROMIUM_PATH, else that of the package, which runs on Linux x64 only.
 * @returns `undefined` where neither runs; says so in one line
 */
export async function openChromium(): Promise<Browser | undefined> {
  try {
    const executablePath = process.env.CHROMIUM_PATH ?? (await chromium.executablePath());
    const args = [...chromium.args, '--lang=vi-VN'];
    return await puppeteer.launch({ executablePath, headless: 'shell', args });
  } catch (error) {
    if (process.env.CHROMIUM_PATH !== undefined) throw error;
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    if (!said) process.stdout.write(`Tests in Chromium did not run (CHROMIUM_PATH): ${reason}\n`);
    said = true;
    return undefined;
  }
}
