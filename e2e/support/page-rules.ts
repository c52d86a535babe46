import type { Page } from '@playwright/test';

/** Fields for personal data, by the end of their ids, and the `autocomplete` that they must have. */
const PURPOSES: [id: RegExp, autocomplete: RegExp][] = [
  [/(?<!create)-email$/, /^(?:email|username)\b/],
  [/(?:order|declaration)-name$/, /^name$/],
  [/-first_?name$/i, /^given-name$/],
  [/-last_?name$/i, /^family-name$/],
  [/-currentPassword$/, /^current-password$/],
  [/-newPassword$/, /^new-password$/],
  [/(?<!filter)-code$/, /^one-time-code$/],
  [/(?:order-address|-street)$/, /\baddress-line1$/],
  [/-(?:zip_code|postal_code)$/, /\bpostal-code$/],
  [/-city$/, /\baddress-level2$/],
  [/-country$/, /\bcountry$/],
  [/-company(?:_name)?$/, /\borganization$/],
];

/** Required or not depending on other things, such as the country or the way of signing in. */
const CONDITIONAL = /-(?:zip_code|postal_code|currentPassword)$/;

/** What is wrong with the forms of a page, such as errors that are not announced or fields without their purpose. */
export async function findFormFaults(page: Page): Promise<string[]> {
  const { faults, fields } = await page.evaluate((conditional) => {
    const faults: string[] = [];
    const all = (selector: string) => [...document.querySelectorAll<HTMLInputElement>(selector)];
    const complain = (what: string, element: Element) =>
      faults.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
    const notesOf = (element: Element | null) =>
      (element?.getAttribute('aria-describedby') ?? '')
        .split(/\s+/)
        .flatMap((id) => document.getElementById(id) ?? []);

    const described = new Set(all('[aria-describedby]').flatMap((element) => notesOf(element)));
    for (const error of all('.field-error')) {
      if (!described.has(error)) complain('an error that no field refers to', error);
    }
    for (const field of all('[aria-invalid="true"]')) {
      const notes = [...notesOf(field), ...notesOf(field.closest('fieldset'))];
      if (!notes.some((note) => note.matches('.field-error')))
        complain('a wrong field that does not say why', field);
      const isEmpty = field.matches('[type=checkbox], [type=radio]') ? !field.checked : !field.value;
      const isOptional = new RegExp(conditional).test(field.id);
      if (isEmpty && !field.required && !isOptional)
        complain('a field refused for being empty that is not required', field);
    }
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.error-summary a')) {
      const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (!target?.matches('input, select, textarea'))
        complain('a link to an error that leads to no field', link);
    }
    for (const element of all('[autofocus]')) {
      if (!element.matches('.error-summary')) complain('a focus that nobody asked for', element);
    }
    const asked = all('input:not([type=hidden], [type=checkbox], [type=radio], [type=search]), select');
    const fields = asked.map(({ id, autocomplete }) => ({ id, autocomplete }));
    return { faults, fields };
  }, CONDITIONAL.source);
  for (const { id, autocomplete } of fields) {
    const [, purpose] = PURPOSES.find(([end]) => end.test(id)) ?? [];
    if (purpose && !purpose.test(autocomplete)) faults.push(`a purpose not told: ${id} (${autocomplete})`);
  }
  return faults;
}

/** What is wrong with the names and the markup of a page's elements. */
export function findStructureFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const all = (selector: string, root: ParentNode = document) => [...root.querySelectorAll(selector)];
    const complain = (what: string, element: Element) =>
      faults.push(`${what}: ${element.outerHTML.slice(0, 160)}`);
    const nameOf = (element: Element) =>
      (element.getAttribute('aria-label') ?? element.textContent ?? '').replace(/\s+/g, ' ').trim();

    /** Which row of its list or table an element is in. */
    const placeOf = (element: Element) =>
      `row ${all('li, tr').indexOf(element.closest('li, tr') ?? element)}`;

    for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')) {
      if (!document.getElementById(decodeURIComponent(link.hash.slice(1))))
        complain('a link to nowhere', link);
    }

    const places = 'table, form, figure, details, nav, dialog, section, header, footer, main';
    const seen = new Map<Element | null, Map<string, string>>();
    for (const target of all('a[href], button')) {
      const goal = target instanceof HTMLAnchorElement ? target.pathname + target.search : placeOf(target);
      const place = target.closest(target.matches('a') ? places : 'ul:has(form), table');
      const goals = seen.get(place) ?? new Map<string, string>();
      seen.set(place, goals);
      const name = nameOf(target);
      if (place && (goals.get(name) ?? goal) !== goal) complain('one name for two things', target);
      goals.set(name, goal);
    }

    for (const table of all('table')) {
      const caption =
        table.querySelector('caption') ??
        document.getElementById(table.getAttribute('aria-labelledby') ?? '');
      if (!caption?.textContent?.trim()) complain('a table without a caption', table);
      for (const cell of all('th:not([scope])', table)) complain('a header of neither row nor column', cell);
      for (const row of all('tbody tr', table)) {
        if (!row.querySelector('th[scope=row]')) complain('a row without a header', row);
      }
    }
    for (const figure of all('.chart:has(.plot)')) {
      if (!figure.querySelector('table')) complain('a chart without its table', figure);
      const fills = all('.swatch .series:not(.unfinished)', figure).map((swatch) =>
        swatch.getAttribute('fill'),
      );
      if (new Set(fills).size < fills.length) complain('series told apart by colour only', figure);
    }

    for (const link of document.querySelectorAll<HTMLAnchorElement>(
      '.site-header nav a, .pagination a, .choices a',
    )) {
      const isHere = link.pathname === location.pathname && (!link.search || link.search === location.search);
      const isPager = link.matches('.step');
      if (isHere && !isPager && !link.hasAttribute('aria-current'))
        complain('a link to this page that does not say so', link);
    }
    for (const button of document.querySelectorAll<HTMLButtonElement>('button[name=lng]')) {
      if (!button.lang) complain('a language named in another', button);
    }

    // React keeps the event handlers of an element in its props.
    const native = 'a[href], button, input, select, textarea, summary, label, dialog';
    for (const element of all('body *')) {
      const key = Object.keys(element).find((name) => name.startsWith('__reactProps$'));
      const props = (element as unknown as Record<string, { onClick?: unknown }>)[key ?? ''];
      if (props?.onClick && !element.matches(native)) complain('a click on what is no control', element);
    }
    return faults;
  });
}
