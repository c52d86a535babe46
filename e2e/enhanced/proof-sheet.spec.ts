import { PDFiumLibrary } from '@hyzyla/pdfium';
import { expect, test } from '../support/fixtures';

test('the page of a code is printed as one page, however long its name, tags and address are', async ({
  page,
  open,
  signIn,
  factories,
}) => {
  const account = await signIn();
  const name = 'The terrace menu of the summer season '.repeat(3).slice(0, 80).trim();
  const tags = Array.from({ length: 10 }, (_, n) => `${n} a tag of thirty characters`.padEnd(30, '.'));
  const content = 'https://long.example/'.padEnd(255, 'path/');
  const code = await factories.code(account, { name, tags, content });
  await open(`/user/qrcodes/${code.id}`);
  await expect(page.getByRole('link', { name: content })).toBeVisible();
  const margin = { top: '10mm', right: '10mm', bottom: '10mm', left: '10mm' };
  const library = await PDFiumLibrary.init();
  for (const format of ['A4', 'Letter']) {
    const printed = await library.loadDocument(await page.pdf({ format, margin }));
    const texts = [...printed.pages()].map((sheet) => sheet.getText().replace(/\s+/g, ' '));
    printed.destroy();
    expect(texts, format).toHaveLength(1);
    expect(texts[0]).toContain(name);
    for (const tag of tags) expect(texts[0]).toContain(tag);
    expect(texts[0]).toMatch(new RegExp(`Address in the image.*/R/${code.slug}`));
    expect(texts[0]).not.toContain('Delete this code');
  }
  library.destroy();
});
