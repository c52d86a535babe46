// Finds or installs Chromium and Java, then runs the browser tests against the built product.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromium } from '@playwright/test';

const SYSTEM = [
  // The headless shell draws no window, which nearly halves the run time of the tests.
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

function findChromium() {
  const candidates = [process.env.CHROMIUM_PATH, ...SYSTEM, chromium.executablePath()];
  return candidates.find((path) => path && existsSync(path));
}

function run(command, args, env = {}) {
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}

function installPackage(name) {
  if (process.getuid?.() !== 0) return;
  run('apt-get', ['update']);
  run('apt-get', ['install', '--yes', '--no-install-recommends', name], {
    DEBIAN_FRONTEND: 'noninteractive',
  });
}

function installChromium() {
  if (run('npx', ['playwright', 'install', 'chromium']) !== 0) installPackage('chromium');
}

// The Nu HTML checker runs on Java.
if (spawnSync('java', ['-version']).error) installPackage('default-jre-headless');

if (!findChromium()) installChromium();
const path = findChromium();
if (!path) {
  process.stderr.write('The browser tests need Chromium: install it or set CHROMIUM_PATH to its path.\n');
  process.exit(1);
}
process.exit(run('npx', ['playwright', 'test', ...process.argv.slice(2)], { CHROMIUM_PATH: path }));
