import type { Code } from '#contract/codes';
import type { TestHost } from '../../support/host';

function formOf(fields: Record<string, string | Blob>): FormData {
  const form = new FormData();
  const all = {
    isPublic: 'true',
    type: 'link',
    data: 'https://example.com/',
    parameters: '{"width":300}',
    ...fields,
  };
  for (const [name, value] of Object.entries(all)) form.set(name, value);
  return form;
}

/** Posts a public link, changed by `fields`, as the form does. */
export async function postCode(host: TestHost, token: string, fields: Record<string, string | Blob>) {
  const response = await host.request('/api/qrcodes', { method: 'POST', body: formOf(fields), token });
  return {
    status: response.status,
    body: (await response.json()) as { data: Code; code: string; errors: Record<string, string[]> },
  };
}
