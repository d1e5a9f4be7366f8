import { type Database } from '../../src/platform/database/database.js';

type Query = Pick<Database['manager'], 'query'>;

/** Everything that is wrong with the books, as a reader of the database sees it; nothing, when the laws hold. */
export async function faultsOf(manager: Query): Promise<string[]> {
  const rows = await manager.query<{ fault: string }[]>(`
    SELECT 'the ledger sums to ' || sum(amount_nano) AS fault FROM ledger_entries HAVING sum(amount_nano) <> 0
    UNION ALL SELECT transaction_key || ' sums to ' || sum(amount_nano) FROM ledger_entries
      GROUP BY transaction_key HAVING sum(amount_nano) <> 0 OR count(*) < 2
    UNION ALL SELECT a.org_id || ' has ' || posted_nano || ', its entries say ' || coalesce(-sum, 0)
      FROM credit_accounts a
      LEFT JOIN (SELECT org_id, sum(amount_nano) FROM ledger_entries WHERE account = 'credits'
        GROUP BY org_id) e USING (org_id) WHERE posted_nano <> coalesce(-sum, 0)
    UNION ALL SELECT a.org_id || ' has ' || posted_nano || ' and ' || held_nano
        || ' held, its grants say ' || coalesce(r, 0) || ' and ' || coalesce(h, 0) FROM credit_accounts a
      LEFT JOIN (SELECT org_id, sum(remaining_nano) r, sum(held_nano) h FROM credit_grants
        GROUP BY org_id) g USING (org_id) WHERE posted_nano <> coalesce(r, 0) OR held_nano <> coalesce(h, 0)
    UNION ALL SELECT a.org_id || ' holds ' || held_nano || ', its open holds say ' || coalesce(c, 0)
      FROM credit_accounts a
      LEFT JOIN (SELECT org_id, sum(credit_nano) c FROM holds WHERE state = 'held'
        GROUP BY org_id) h USING (org_id) WHERE held_nano <> coalesce(c, 0)
    UNION ALL SELECT m.org_id || ' in ' || month || ' is billed ' || posted_nano || ' and ' || m.held_nano
        || ' held, its holds say ' || coalesce(b, 0) || ' and ' || coalesce(h, 0) FROM billed_months m
      LEFT JOIN (SELECT org_id, month, sum(billed_nano) FILTER (WHERE state = 'settled') b,
        sum(billed_nano) FILTER (WHERE state = 'held') h FROM holds GROUP BY org_id, month) x USING (org_id, month)
      WHERE posted_nano <> coalesce(b, 0) OR m.held_nano <> coalesce(h, 0)
    UNION ALL SELECT o.id || ' owes ' || coalesce(r, 0) || ', its months say ' || coalesce(m, 0) FROM organizations o
      LEFT JOIN (SELECT org_id, sum(amount_nano) r FROM ledger_entries WHERE account = 'usage_receivable'
        GROUP BY org_id) e ON e.org_id = o.id
      LEFT JOIN (SELECT org_id, sum(posted_nano) m FROM billed_months GROUP BY org_id) b ON b.org_id = o.id
        WHERE coalesce(r, 0) <> coalesce(m, 0)
    UNION ALL SELECT o.id || ' was charged ' || coalesce(c, 0) || ' for usage of ' || coalesce(u, 0)
      FROM organizations o
      LEFT JOIN (SELECT org_id, sum(cost_nano) c FROM (SELECT org_id, cost_nano FROM holds
        UNION ALL SELECT org_id, cost_nano FROM unpaid_usage) x GROUP BY org_id) h ON h.org_id = o.id
      LEFT JOIN (SELECT org_id, sum(cost_nano) u FROM usage_events GROUP BY org_id) e ON e.org_id = o.id
        WHERE coalesce(c, 0) <> coalesce(u, 0)
    UNION ALL SELECT b.subject || ' in ' || p.period || ' has ' || posted_nano || ' and ' || p.held_nano
        || ' held, its holds say ' || coalesce(c, 0) || ' and ' || coalesce(h, 0) FROM budget_periods p
      JOIN budgets b ON b.id = p.budget_id
      LEFT JOIN (SELECT part ->> 'budget' AS budget_id, part ->> 'period' AS period,
        sum(coalesce(counted_nano, cost_nano - lost_nano)) FILTER (WHERE state = 'settled') c,
        sum(coalesce(counted_nano, amount_nano)) FILTER (WHERE state = 'held') h
        FROM holds, jsonb_array_elements(budgets) part GROUP BY 1, 2) x USING (budget_id, period)
      WHERE posted_nano <> coalesce(c, 0) OR p.held_nano <> coalesce(h, 0)
    UNION ALL SELECT key || ' is ' || state || ' and has ' || count(e.*) || ' entries of revenue' FROM holds h
      LEFT JOIN ledger_entries e ON e.transaction_key = 'usage:' || h.key AND e.account = 'revenue'
      GROUP BY key, state HAVING (coalesce(max(cost_nano), 0) > 0)::int <> count(e.*)`);
  return rows.map(({ fault }) => fault);
}
