import { chooseType, expect, test } from '../support/fixtures';
import { badLogos, pictureBytes } from '../support/logos';
import { mailedPath } from '../support/mails';

test('a visitor sees the code of a link and that it can be decoded', async ({ page, open }) => {
  await open('/');
  await page.getByLabel('Web address').fill('example.com/menu');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByRole('img', { name: 'Preview of your QR code' })).toBeVisible();
  await expect(page.getByText('reads back: example.com/menu')).toBeVisible();
  await expect(page.getByLabel('Web address')).toHaveValue('example.com/menu');
});

test('an uploaded logo is kept across previews and can be removed', { tag: '@late' }, async ({
  page,
  open,
}) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/logo');
  await page.getByLabel('Your own image').setInputFiles(await pictureBytes('mark.png'));
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('Current logo: mark.png')).toBeVisible();
  await expect(page.locator('.code-picture image')).toHaveAttribute('href', /^\/drafts\//);
  await page.getByLabel('White background behind the logo').check();
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('reads back: example.com/logo')).toBeVisible();
  await expect(page.getByText('Current logo: mark.png')).toBeVisible();
  await page.getByLabel('Remove this logo').check();
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('Current logo: mark.png')).toBeHidden();
});

test('replacing the logo is shown at once', async ({ page, open, ready }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/logo');
  const logo = page.locator('.code-picture image');
  const addresses: string[] = [];
  for (const red of [196, 20]) {
    await page.locator('input[name=logo]').setInputFiles(await pictureBytes(`red-${red}.png`, red));
    await page.getByRole('button', { name: 'Preview and check' }).click();
    await expect(page.getByText(`Current logo: red-${red}.png`)).toBeVisible();
    await expect(logo).toHaveAttribute('href', /^\/drafts\//);
    addresses.push((await logo.getAttribute('href')) ?? '');
    await ready();
  }
  expect(addresses[1]).not.toBe(addresses[0]);
});

test('a number is refused with its reason, then read back as phones dial it', async ({ page, open }) => {
  await open('/create');
  await chooseType(page, 'Phone');
  const number = page.getByLabel('Phone number');
  await expect(number).toHaveAttribute('type', 'tel');
  await number.fill('*#06#');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(number).toHaveAccessibleDescription(/Letters, \* and # cannot be dialled from a code\.$/);
  await expect(page.getByRole('link', { name: /^Enter a phone number/ })).toHaveAttribute(
    'href',
    '#create-phone',
  );
  await number.fill('+33 (0)1 23.45.67.89');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('reads back: tel:+33123456789')).toBeVisible();
  await expect(number).toHaveValue('+33 (0)1 23.45.67.89');
});

test('an event is refused with its reasons beside the fields, then drawn for calendars', async ({
  page,
  open,
}) => {
  await open('/create');
  await chooseType(page, 'Event');
  await expect(page.getByLabel('Time zone of the place')).toHaveValue('Europe/London');
  await page.getByLabel('Name of the event').fill('Opening');
  await page.getByLabel('Ends at').fill('02:00');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByLabel('First day')).toHaveAccessibleDescription(/Enter the day\.$/);
  await expect(page.getByLabel('Starts at')).toHaveAccessibleDescription(/Enter when it starts/);
  await page.getByLabel('First day').fill('2026-12-31');
  await page.getByLabel('Starts at').fill('22:00');
  await page.getByLabel('Time zone of the place').selectOption('Europe/Paris');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(
    page.getByText('reads back: BEGIN:VCALENDAR VERSION:2.0 BEGIN:VEVENT DTSTART:20261'),
  ).toBeVisible();
  await expect(page.getByLabel('Ends at')).toHaveValue('02:00');
});

test('a contact needs a name, a place a position, an app an address, and each says so', async ({
  page,
  open,
}) => {
  await open('/create');
  for (const [type, label, reason] of [
    ['Contact', 'First name', 'Enter a first name, a last name or an organisation.'],
    ['Place', 'Position', 'Enter where it is.'],
    ['App', 'Address in the App Store', 'Enter at least one address of the app.'],
  ] as const) {
    await chooseType(page, type);
    await page.getByRole('button', { name: 'Preview and check' }).click();
    await expect(page.getByRole('link', { name: reason })).toBeVisible();
    await expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(
      new RegExp(`${reason}$`),
    );
  }
  await chooseType(page, 'Place');
  await page.getByLabel('Position').fill('https://www.google.com/maps/@48.1371,11.5754,15z');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('reads back: geo:48.1371,11.5754')).toBeVisible();
});

test('every type shows its own fields and keeps what was typed', { tag: '@late' }, async ({ page, open }) => {
  await open('/create');
  await chooseType(page, 'Wi-Fi');
  await expect(page.getByLabel('Web address')).toBeHidden();
  await page.getByLabel('Network name (SSID)').fill('Guests; "upstairs"');
  await page.getByLabel('Network password').fill('pass:word\\9');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('reads back: WIFI:T:WPA;S:Guests\\; \\"upstairs\\"')).toBeVisible();
  await expect(page.getByLabel('Network password')).toHaveValue('pass:word\\9');
  await chooseType(page, 'E-mail');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Subject').fill('Table for two');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('reads back: mailto:ada@example.com?subject=Table%20for%20two')).toBeVisible();
});

test('an error about the link is shown at the link field only', async ({ page, open }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('not an address');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByLabel('Web address')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.locator('#create .field-error')).toHaveCount(1);
});

test('image and video are shown as coming soon and cannot be chosen', async ({ page, open }) => {
  await open('/');
  await expect(page.getByRole('radio', { name: /Image/ })).toBeDisabled();
  await expect(page.getByRole('radio', { name: /Video/ })).toBeDisabled();
  await expect(page.getByText('coming soon').first()).toBeVisible();
});

test('signed out, creating a code saves the design and leads to the order', { tag: '@late' }, async ({
  page,
  open,
}) => {
  await open('/');
  await page.getByLabel('Web address').fill('https://example.com/kept');
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page).toHaveURL(/\/subscribe\/basic_monthly$/);
  await open('/create');
  await expect(page.getByLabel('Web address')).toHaveValue('https://example.com/kept');
});

test('with an unreadable logo, the preview shows the code without one, and the page says so', async ({
  page,
  open,
}) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/plain');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('reads back: example.com/plain')).toBeVisible();
  const plain = await page.locator('.code-picture path').getAttribute('d');
  const [note] = await badLogos();
  await page.locator('input[name=logo]').setInputFiles(note?.[0] ?? []);
  await page.getByRole('button', { name: 'Preview and check' }).click();
  await expect(page.getByText('cannot read this kind of file').first()).toBeVisible();
  await expect(page.getByText('The logo could not be loaded')).toBeVisible();
  await expect(page.locator('.code-picture image')).toHaveCount(0);
  expect(await page.locator('.code-picture path').getAttribute('d')).toBe(plain);
});

test('a web address is stored as typed, counts characters, not bytes, and redirects to its ASCII form', async ({
  page,
  open,
  signIn,
  factories,
  ready,
}) => {
  const account = await signIn();
  const entered = `https://bücher.example/${'é'.repeat(100)}`;
  await open('/create');
  await page.getByLabel('Web address').fill(entered);
  await page.getByRole('button', { name: 'Create the code' }).click();
  await expect(page.getByText('QR code created successfully')).toBeVisible();
  const [code] = await factories.codesOf(account);
  expect(code).toMatchObject({ content: entered });
  await ready();
  await page
    .getByRole('link', { name: /^bücher\.example\/ééé/ })
    .first()
    .click();
  await expect(page.getByLabel('Web address')).toHaveValue(entered);
  const visit = await page.request.get(`/l/${code?.slug}`, { maxRedirects: 0 });
  expect(visit.headers().location).toBe(`https://xn--bcher-kva.example/${'%C3%A9'.repeat(100)}`);
});

test('the preview is drawn 256 pixels wide', async ({ page, open }) => {
  await open('/create');
  await page.getByLabel('Web address').fill('https://example.com/');
  await page.getByRole('button', { name: 'Preview and check' }).click();
  const box = await page.getByRole('img', { name: 'Preview of your QR code' }).boundingBox();
  expect([box?.width, box?.height]).toEqual([256, 256]);
});

test('a design that could not become a code can be corrected or discarded from the dashboard', async ({
  page,
  open,
  factories,
  ready,
}) => {
  const email = `${crypto.randomUUID()}@shop.example`;
  await factories.bought({ email, content: 'not an address' });
  await open(await mailedPath(factories, email));
  await page.getByLabel('First name').fill('Ada');
  await page.getByLabel('Last name').fill('Byron');
  for (const name of ['password', 'confirmPassword']) {
    await page.locator(`input[name=${name}]`).fill('correct horse battery staple');
  }
  await page.locator('main form button[type=submit]').click();
  await expect(page).toHaveURL(/\/user\/dashboard$/);
  await ready();
  const section = page.getByRole('region', { name: 'Your design could not become a code yet' });
  await expect(section).toContainText('not an address');
  await expect(section).toContainText('Enter a web address such as');
  await section.getByRole('button', { name: 'Correct the design' }).click();
  await expect(page).toHaveURL(/\/create$/);
  await expect(page.getByLabel('Web address')).toHaveValue('not an address');
  await open('/user/dashboard');
  await ready();
  await section.getByRole('button', { name: 'Discard the design' }).click();
  await expect(page.getByText('Design discarded')).toBeVisible();
  await expect(section).toHaveCount(0);
});
