import { Link, useNavigate } from '@remix-run/react';
import { type FormEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { FORM_TYPES } from '~/codes/contents/content-forms';
import { useAnnounce } from '~/ui/announcer';
import { Button } from '~/ui/button';
import { usePopover } from '~/ui/dropdown';
import { Field, SelectField } from '~/ui/field';
import { Icon } from '~/ui/icon';

/** Codes per page of the list; the first is the default. */
export const PAGE_SIZES = [10, 25, 50, 100] as const;

interface ListFilterValues {
  search: string;
  tag: string;
  /** A `utm_campaign`, or empty. */
  campaign: string;
  type: string;
  visibility: string;
  show: string;
  /** Id of an import, or empty. */
  import: string;
  order: string;
  size: string;
}

interface Props {
  values: ListFilterValues;
  tags: { tag: string; codes: number }[];
  /** Whether the filter leaves out any codes. */
  isNarrowed: boolean;
  /** Query string of the page: when it changes, the fields are set to its values. */
  address: string;
  /** How many codes were found, in words. */
  found: string;
}

const SHOWN = ['in_use', 'never_visited', 'uncounted', 'failing', 'archived', 'all'] as const;
const ORDERS = ['newest', 'name', 'visits', 'last_visit'] as const;
const VISIBILITIES = ['public', 'private'] as const;
const DEFAULTS: ListFilterValues = {
  search: '',
  tag: '',
  campaign: '',
  type: '',
  visibility: '',
  show: SHOWN[0],
  import: '',
  order: ORDERS[0],
  size: String(PAGE_SIZES[0]),
};

/**
 * Filter and order of the list: a GET form on the page itself, so that every view has its own URL. With scripts
 * each choice applies at once, and the focus stays.
 */
export function ListFilter({ values, tags, isNarrowed, address, found }: Props) {
  const { t } = useTranslation('codes');
  const panel = usePopover<HTMLDivElement>();
  const { form, submit } = useFilterForm(values, address, found);
  const select = (
    name: keyof ListFilterValues,
    label: string,
    options: { value: string; label: string }[],
  ) => (
    <div key={name} className={values[name] === DEFAULTS[name] ? 'chip' : 'chip chip--set'}>
      <SelectField field={{ id: `list-${name}`, name, initialValue: values[name] }} {...{ label, options }} />
    </div>
  );
  const isUnknownTag = values.tag !== '' && !tags.some(({ tag }) => tag === values.tag);
  return (
    <search>
      <form
        ref={form}
        action="/user/qrcodes"
        className="list-filter"
        onSubmit={submit}
        onChange={({ target, currentTarget }) => {
          if (target instanceof HTMLSelectElement) currentTarget.requestSubmit();
        }}
      >
        <div className="list-filter__search">
          <label htmlFor="list-search" className="sr-only">
            {t('filter.search')}
          </label>
          <input
            type="search"
            id="list-search"
            name="search"
            className="input"
            defaultValue={values.search}
            placeholder={t('filter.search')}
            autoComplete="off"
            maxLength={255}
          />
          <button type="submit" className="icon-button">
            <Icon name="search" />
            <span className="sr-only">{t('filter.find')}</span>
          </button>
        </div>
        <button type="button" className="button secondary small" {...{ popovertarget: 'list-filters' }}>
          {t('filter.filters')}
          <Icon name="chevron-down" />
        </button>
        <div ref={panel} id="list-filters" className="list-filter__chips" {...{ popover: 'auto' }}>
          {(tags.length > 0 || isUnknownTag) &&
            select('tag', t('filter.tag'), [
              { value: '', label: t('filter.allTags') },
              ...tags.map(({ tag, codes }) => ({ value: tag, label: `${tag} (${codes})` })),
              ...(isUnknownTag ? [{ value: values.tag, label: values.tag }] : []),
            ])}
          <div className={values.campaign === '' ? 'chip' : 'chip chip--set'}>
            <Field
              field={{ id: 'list-campaign', name: 'campaign', initialValue: values.campaign }}
              label={t('filter.campaign')}
              placeholder={t('filter.campaign')}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
          </div>
          {select('type', t('filter.type'), [
            { value: '', label: t('filter.allTypes') },
            ...FORM_TYPES.map((value) => ({ value, label: t(`design:types.${value}`) })),
          ])}
          {select('visibility', t('filter.visibility'), [
            { value: '', label: t('filter.any') },
            ...VISIBILITIES.map((value) => ({ value, label: t(`visibility.${value}`) })),
          ])}
          {select(
            'show',
            t('filter.show'),
            SHOWN.map((value) => ({ value, label: t(`filter.shown.${value}`) })),
          )}
          {values.import !== '' &&
            select('import', t('filter.import'), [
              { value: values.import, label: t('filter.oneImport') },
              { value: '', label: t('filter.any') },
            ])}
          {select(
            'order',
            t('filter.order'),
            ORDERS.map((value) => ({ value, label: t(`filter.orders.${value}`) })),
          )}
          {select(
            'size',
            t('filter.size'),
            PAGE_SIZES.map((size) => ({ value: String(size), label: t('filter.perPage', { count: size }) })),
          )}
          <Button variant="secondary" size="small" className="list-filter__apply">
            {t('filter.apply')}
          </Button>
        </div>
        {isNarrowed && <Link to="/user/qrcodes">{t('filter.clear')}</Link>}
      </form>
    </search>
  );
}

function useFilterForm(values: ListFilterValues, address: string, found: string) {
  const navigate = useNavigate();
  const announce = useAnnounce();
  const form = useRef<HTMLFormElement>(null);
  const shown = useRef(address);
  const sent = useRef<FormData>();

  useEffect(() => {
    // What was typed or chosen before scripts ran stays.
    if (shown.current === address) return;
    shown.current = address;
    for (const field of form.current?.querySelectorAll<HTMLInputElement | HTMLSelectElement>('[name]') ??
      []) {
      // What was typed or chosen while the list was loading stays too.
      const isUntouched = !sent.current || field.value === sent.current.get(field.name);
      if (isUntouched) field.value = values[field.name as keyof ListFilterValues];
    }
    sent.current = undefined;
    announce(found);
  }, [address, values, found, announce]);

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    sent.current = new FormData(event.currentTarget);
    const given = [...sent.current].filter(
      ([name, value]) => value !== DEFAULTS[name as keyof ListFilterValues],
    );
    const query = new URLSearchParams(given as [string, string][]).toString();
    navigate(query ? `/user/qrcodes?${query}` : '/user/qrcodes', {
      preventScrollReset: true,
      state: { keepsFocus: true },
    });
  }

  return { form, submit };
}
