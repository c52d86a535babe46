import { getInvoice } from '#contract/transactions';
import type { Deps } from '#host/http/deps';
import { ApiError } from '#host/http/errors';
import type { Router } from '#host/http/mount';
import { renderInvoice } from './pdf';
import { findOwnInvoice } from './store';

export function mountInvoices({ mount }: Router, { db }: Pick<Deps, 'db'>): void {
  mount(getInvoice, async ({ caller, params }) => {
    const number = params.file.replace(/\.pdf$/, '');
    const invoice = await findOwnInvoice(db.orm, caller.accountId, number);
    if (!invoice) throw new ApiError('not_found');
    return new Response(Buffer.from(await renderInvoice(invoice)), {
      headers: {
        'Content-Type': 'application/pdf',
        'Content-Disposition': `attachment; filename="${number}.pdf"`,
        'Cache-Control': 'private, no-store',
      },
    });
  });
}
