import { existsSync } from 'node:fs';
import { type Browser, chromium } from '@playwright/test';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** The Chromium of CHROMIUM_PATH, else the machine's, else Playwright's own. */
export async function openBrowser(): Promise<Browser> {
  const path = process.env.CHROMIUM_PATH ?? PLACES.find(existsSync);
  return chromium.launch({
    ...(path && { executablePath: path }),
    args: [
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
