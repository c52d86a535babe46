import { existsSync } from 'node:fs';
import { type Browser, chromium } from '@playwright/test';

const PLACES = ['chromium', 'chromium-browser', 'google-chrome', 'chromium-headless-shell'].map(
  (name) => `/usr/bin/${name}`,
);

/** The Chromium of CHROMIUM_PATH, else the system's, else Playwright's own. */
export function chromiumPath(): string {
  return process.env.CHROMIUM_PATH ?? PLACES.find(existsSync) ?? chromium.executablePath();
}

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath(),
    args: [
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
