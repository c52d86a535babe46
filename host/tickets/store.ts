import { and, desc, eq, lt, sql } from 'drizzle-orm';
import type { TicketRecord } from '#contract/account-records';
import type { Orm } from '#host/db/client';
import { tickets } from '#host/db/tickets.tables';

type NewTicket = typeof tickets.$inferInsert;

const RETENTION_MONTHS = 12;

/** False if there already is a ticket with the same form key. */
export async function insertTicket(orm: Orm, ticket: NewTicket): Promise<boolean> {
  const inserted = await orm
    .insert(tickets)
    .values(ticket)
    .onConflictDoNothing({ target: [tickets.email, tickets.formKey] })
    .returning({ id: tickets.id });
  return inserted.length > 0;
}

export async function hasTicket(orm: Orm, email: string, formKey: string): Promise<boolean> {
  const rows = await orm
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(eq(tickets.email, email), eq(tickets.formKey, formKey)));
  return rows.length > 0;
}

/** Messages sent with an e-mail address, newest first. */
export async function listTickets(orm: Orm, email: string): Promise<TicketRecord[]> {
  const rows = await orm
    .select()
    .from(tickets)
    .where(eq(sql`lower(${tickets.email})`, email.toLowerCase()))
    .orderBy(desc(tickets.createdAt))
    .limit(1000);
  return rows.map(({ email: entered, firstname, lastname, subject, message, createdAt }) => ({
    email: entered,
    firstname,
    lastname,
    subject,
    message,
    createdAt: createdAt.toISOString(),
  }));
}

/** Of everybody, newest first. */
export async function listNewestTickets(orm: Orm, limit: number) {
  return orm
    .select({
      id: tickets.id,
      createdAt: tickets.createdAt,
      email: tickets.email,
      subject: tickets.subject,
      message: tickets.message,
    })
    .from(tickets)
    .orderBy(desc(tickets.createdAt))
    .limit(limit);
}

export async function dropOldTickets(orm: Orm, now: Date): Promise<void> {
  const oldest = new Date(now);
  oldest.setUTCMonth(oldest.getUTCMonth() - RETENTION_MONTHS);
  await orm.delete(tickets).where(lt(tickets.createdAt, oldest));
}
