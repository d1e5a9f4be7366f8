/** Generated from the OpenAPI description of the service by `npm run client:types`. Do not edit. */

export interface paths {
    readonly "/api/v1": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns the name and version of the service, and links to its documentation. */
        readonly get: operations["DocsController_index"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/explain": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Checks whether a call would be allowed.
         * @description Use it when a call is refused and you do not know why. It returns what refuses the call first, and the smallest change that would allow it. The call itself is not made.
         */
        readonly post: operations["ExplainController_explain"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/password": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Changes the password and ends all other sessions.
         * @description The current password is required. API keys keep working.
         */
        readonly put: operations["PasswordsController_change"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/password/forgot": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sends a message for resetting the password.
         * @description The response is the same whether or not the email address has an account.
         */
        readonly post: operations["PasswordsController_forgot"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/password/reset": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resets the password with the token from the message, and ends all sessions.
         * @description API keys keep working unless `revoke_keys` is true. If the email address was not verified before, all keys are revoked, because another person may have created them. The address counts as verified afterwards.
         */
        readonly post: operations["PasswordsController_reset"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/session/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Replaces the token of the current session.
         * @description The session then lasts 30 days from now. The old token stops working, and using it again ends the session.
         */
        readonly post: operations["SessionsController_rotate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/sessions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the caller's active sessions, newest first. */
        readonly get: operations["SessionsController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/sessions/{session_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Ends one of the caller's sessions. */
        readonly delete: operations["SessionsController_end"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/sign-in": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates a session that lasts 30 days.
         * @description After ten attempts for one account from one address within 15 minutes, further attempts are refused.
         */
        readonly post: operations["AuthController_signIn"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/sign-out": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Ends the current session. */
        readonly post: operations["AuthController_signOut"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/sign-up": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates an account and signs in.
         * @description Also creates a personal organization whose slug is the username, and sends a message to verify the email address. It is refused while the operator has disabled sign-ups.
         */
        readonly post: operations["AuthController_signUp"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/verify-email": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Verifies an email address with the token from the message.
         * @description A token works once, within 24 hours.
         */
        readonly post: operations["AuthController_verifyEmail"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/auth/verify-email/resend": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sends the verification message again.
         * @description Nothing is sent if the email address is already verified.
         */
        readonly post: operations["AuthController_resendVerification"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/budgets": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the budgets of an organization, newest first. */
        readonly get: operations["BudgetsController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/budgets/{subject}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns a budget, with what its current window has spent. */
        readonly get: operations["BudgetsController_get"];
        /**
         * Sets the budget of an API key.
         * @description Limits what the work of the key may cost, effective at once. Work that might exceed it is refused with 402 `budget_exceeded`. What was spent before there was a budget does not count, and another window begins with nothing spent.
         */
        readonly put: operations["BudgetsController_set"];
        readonly post?: never;
        /** Deletes a budget, so that only the limits of the organization hold. */
        readonly delete: operations["BudgetsController_delete"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/checkout": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates a checkout page for a plan.
         * @description Open the returned page in a browser to add a payment method; the plan then begins. Refuses plans by contract.
         */
        readonly post: operations["PaymentsController_checkout"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/credits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns the credit balance.
         * @description Shows what is left, what is held for running work, and the grants that it comes from.
         */
        readonly get: operations["CreditsController_credits"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Records usage from trusted sources.
         * @description Needs `USAGE_TOKEN` as the bearer token and is disabled while that is not set. Each event is accepted or rejected on its own. Safe to repeat: an event is recorded once.
         */
        readonly post: operations["UsageEventsController_report"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/forecast": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns a forecast of calls and credits.
         * @description Shows when calls and credits run out at the current rate, and what costs most.
         */
        readonly get: operations["ForecastController_show"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/invoices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists invoices, the newest first. */
        readonly get: operations["InvoicesController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/invoices/{invoice_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns an invoice with its lines and credit notes. */
        readonly get: operations["InvoicesController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/invoices/{invoice_id}/page": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns an invoice as a printable page. */
        readonly get: operations["InvoicesController_page"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/invoices/upcoming": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns a preview of the invoice of the current month.
         * @description Counts the plan to the end of the month and usage until now.
         */
        readonly get: operations["InvoicesController_upcoming"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/plans": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the plans, from the smallest to the largest. */
        readonly get: operations["PlansController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/portal": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates a page to manage the payment method.
         * @description Open the returned page in a browser to change the payment method or end the subscription. Refuses organizations without a payment method.
         */
        readonly post: operations["PaymentsController_portal"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/prices": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the current prices of usage.
         * @description Prices are by meter and model, and the same on every plan.
         */
        readonly get: operations["PricesController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/spend-cap": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns the monthly spend cap.
         * @description Shows the cap on billed usage for the month, and what is billed so far.
         */
        readonly get: operations["CreditsController_spendCap"];
        /**
         * Sets the monthly spend cap.
         * @description Limits what usage beyond the credits may cost in a month, effective at once. Work that might exceed the cap is refused with 402 `spend_cap_reached`. Owners are emailed at 50, 80 and 100 %.
         */
        readonly put: operations["CreditsController_setSpendCap"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/subscription": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns the subscription. */
        readonly get: operations["SubscriptionsController_get"];
        readonly put?: never;
        /**
         * Changes the plan.
         * @description A larger plan begins at once, a smaller one with the next period. Without a payment provider, a larger plan waits for the operator: the answer is 202 with `pending_change`, and a later change replaces or withdraws the request. Refuses a plan that is too small, and plans by contract.
         */
        readonly post: operations["SubscriptionsController_choose"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/billing/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns usage and its cost.
         * @description Groups usage by meter and by `group_by`. Usage that became known after its month was closed counts at the hour when it became known.
         */
        readonly get: operations["UsageController_show"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deploys/{deploy_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns a deploy. */
        readonly get: operations["DeploysController_get"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Deletes the files of a deploy and the hosts that lead to it.
         * @description Use it to free storage at once. The deploy stays in the list, with `files_removed`. Refuses active deploys and the production deploy.
         */
        readonly delete: operations["DeploysController_delete"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deploys/{deploy_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancels an active deploy.
         * @description Refuses a deploy that has ended.
         */
        readonly post: operations["DeploysController_cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deploys/{deploy_id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the events of a deploy, oldest first.
         * @description There is an event for each change of state, each lost attempt, and each time that it went live.
         */
        readonly get: operations["DeploysController_events"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deploys/{deploy_id}/logs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Streams the log of a deploy until the deploy ends.
         * @description With `Accept: text/event-stream`, sends events `line` and a final event `end`. Otherwise sends NDJSON, one object for each line of the log, and a final `{"end": {"state": …}}`. If a response ends without it, the connection was lost: repeat the request with the last `seq` in `Last-Event-ID`.
         */
        readonly get: operations["DeploysController_log"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deploys/{deploy_id}/promote": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Promotes a ready deploy to production.
         * @description Nothing is built: the deploy keeps the environment that it was built with, a preview that of previews. Removes the pin of a rollback. Needs `deploys:write` as well.
         */
        readonly post: operations["DeploysController_promote"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/deploys/{deploy_id}/share-links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates a link that opens one protected deploy for anybody who has it.
         * @description It opens only the URL of the deploy. To revoke it early, change the protection of the project.
         */
        readonly post: operations["ProtectionController_createShareLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/integrations/github": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the GitHub accounts that the organization of the call has connected. */
        readonly get: operations["GithubController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/integrations/github/installations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Connects a GitHub account with the parameters that GitHub returned.
         * @description Only the user who started the connection can finish it.
         */
        readonly post: operations["GithubController_finish"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/integrations/github/installations/{installation_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Disconnects a GitHub account, so that the service loses access to it. */
        readonly delete: operations["GithubController_disconnect"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/integrations/github/links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Starts to connect a GitHub account to the organization of the call.
         * @description A person opens the returned URL in a browser, and finishes with POST /integrations/github/installations.
         */
        readonly post: operations["GithubController_begin"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/invitations/accept": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Accepts an invitation with the token from the message.
         * @description The caller joins the organization. The message must have been sent to the caller's own email address.
         */
        readonly post: operations["InvitationsController_accept"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/keys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists API keys, newest first.
         * @description Returns your own keys, and the org-bound keys of organizations that you administer.
         */
        readonly get: operations["KeysController_list"];
        readonly put?: never;
        /**
         * Creates an API key.
         * @description The secret is returned once and cannot be read again. A key cannot create a key with wider permissions.
         */
        readonly post: operations["KeysController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/keys/{key_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns an API key without its secret. */
        readonly get: operations["KeysController_get"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Revokes an API key.
         * @description The key stops working with its next call. Revoking cannot be undone.
         */
        readonly delete: operations["KeysController_revoke"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Updates an API key.
         * @description The change applies from the next call with the key. Only the owner of a key can update it.
         */
        readonly patch: operations["KeysController_change"];
        readonly trace?: never;
    };
    readonly "/api/v1/keys/{key_id}/rotate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rotates the secret of an API key.
         * @description The new secret is returned once. The old one works for another `grace_seconds`. Only the owner can rotate a key.
         */
        readonly post: operations["KeysController_rotate"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/keys/current": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns the API key that makes the call.
         * @description It requires no scope. Session tokens are refused.
         */
        readonly get: operations["KeysController_current"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/me": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns the caller, the organization of the call and the scopes in it.
         * @description Use it to check which user, key and organization a credential belongs to.
         */
        readonly get: operations["MeController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns this document, as OpenAPI 3. */
        readonly get: operations["DocsController_openapi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists organizations, oldest first.
         * @description Returns the organizations that the caller is a member of and the key has access to.
         */
        readonly get: operations["OrgsController_list"];
        readonly put?: never;
        /**
         * Creates an organization.
         * @description The caller becomes its owner. Keys that are limited to certain organizations are refused. You can own ten organizations on the Free plan, besides your personal one.
         */
        readonly post: operations["OrgsController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns an organization by its id or slug. */
        readonly get: operations["OrgsController_get"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Deletes an organization.
         * @description Only an owner can delete an organization. A personal organization cannot be deleted.
         */
        readonly delete: operations["OrgsController_delete"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Updates the name or the slug of an organization.
         * @description The old slug is free for others at once. A personal organization keeps its slug.
         */
        readonly patch: operations["OrgsController_update"];
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/audit-log": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the audit log of an organization, newest first.
         * @description Each entry names the action, its target, the actor, and the IP address that it came from.
         */
        readonly get: operations["AuditLogController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/events": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Streams what happens in an organization.
         * @description Sends NDJSON, one object for each event, and after five minutes `{"end": {"after": …}}`; with `Accept: text/event-stream`, server-sent events. Repeat the request with the last `seq` in `Last-Event-ID`: events are stored for 24 hours. Only events that the scopes of the caller allow are sent.
         */
        readonly get: operations["EventsController_stream"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/invitations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists open invitations, newest first. */
        readonly get: operations["InvitationsController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/invitations/{invitation_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Revokes an invitation. */
        readonly delete: operations["InvitationsController_revoke"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/members": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the members of an organization. */
        readonly get: operations["MembersController_list"];
        readonly put?: never;
        /**
         * Invites a person by email.
         * @description The invitation is valid for seven days, and replaces an earlier one to the same address.
         */
        readonly post: operations["MembersController_invite"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/members/{user_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /**
         * Removes a member.
         * @description Members can remove themselves. The last owner cannot be removed.
         */
        readonly delete: operations["MembersController_remove"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Changes the role of a member.
         * @description Neither the old nor the new role can be above the caller's own. The last owner keeps the role.
         */
        readonly patch: operations["MembersController_setRole"];
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/webhook-endpoints": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the webhook endpoints of an organization, newest first.
         * @description Needs `orgs:write`, because URLs may contain secrets.
         */
        readonly get: operations["WebhookEndpointsController_list"];
        readonly put?: never;
        /**
         * Creates a webhook endpoint.
         * @description Returns the secret once. Messages are signed as Standard Webhooks describes it.
         */
        readonly post: operations["WebhookEndpointsController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/webhook-endpoints/{endpoint_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns a webhook endpoint without its secret. */
        readonly get: operations["WebhookEndpointsController_get"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes a webhook endpoint and the records of its deliveries. */
        readonly delete: operations["WebhookEndpointsController_delete"];
        readonly options?: never;
        readonly head?: never;
        /** Updates, pauses or resumes a webhook endpoint. Absent fields stay the same. */
        readonly patch: operations["WebhookEndpointsController_update"];
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/webhook-endpoints/{endpoint_id}/deliveries": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the deliveries to a webhook endpoint, newest first.
         * @description They are kept for 7 days.
         */
        readonly get: operations["WebhookDeliveriesController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns a delivery to a webhook endpoint, with how its last attempt ended. */
        readonly get: operations["WebhookDeliveriesController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/replay": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Sends the message of a delivery again.
         * @description It has the same `webhook-id`, so that a receiver recognizes what it has already handled.
         */
        readonly post: operations["WebhookDeliveriesController_replay"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/webhook-endpoints/{endpoint_id}/rotate-secret": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rotates the secret of a webhook endpoint.
         * @description The new secret is returned once. Messages are signed with both for `grace_seconds`.
         */
        readonly post: operations["WebhookEndpointsController_rotateSecret"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/orgs/{org_id}/webhook-endpoints/{endpoint_id}/test": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /** Sends a message of the type `webhook_endpoint.test` to a webhook endpoint. */
        readonly post: operations["WebhookDeliveriesController_test"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the projects of the organization of the call, newest first.
         * @description Each has its last deploy, if the caller may read deploys.
         */
        readonly get: operations["ProjectsController_list"];
        readonly put?: never;
        /** Creates a project in the organization of the call. A repository can be linked later. */
        readonly post: operations["ProjectsController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns a project by its id, or by its slug within the organization of the call. */
        readonly get: operations["ProjectsController_get"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes a project and its environment variables permanently. */
        readonly delete: operations["ProjectsController_delete"];
        readonly options?: never;
        readonly head?: never;
        /** Updates a project. Absent fields stay the same. Null clears a field; `repo_url: null` unlinks the repository. */
        readonly patch: operations["ProjectsController_change"];
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/access-links": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates a link with which a member opens a protected host.
         * @description The link works for ten minutes. A browser that followed it keeps its access to that host for twelve hours.
         */
        readonly post: operations["ProtectionController_createAccessLink"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/crons": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the crons of a project, oldest first, with their next times. */
        readonly get: operations["CronsController_list"];
        readonly put?: never;
        /**
         * Creates a cron, which requests a path of the production deploy at times of a schedule.
         * @description Crons of vercel.json are created by the deploy that goes to production. Free includes no crons.
         */
        readonly post: operations["CronsController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/crons/{cron_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Deletes a cron with its history. */
        readonly delete: operations["CronsController_delete"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Changes a cron.
         * @description Fields that are absent stay the same. A cron of vercel.json can only be disabled and enabled.
         */
        readonly patch: operations["CronsController_change"];
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/crons/{cron_id}/run": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Runs a cron now, whether or not it is enabled.
         * @description The request is sent within seconds; list the runs for its outcome. While another run of the cron is active, this one is skipped, and its outcome is `overlapped`.
         */
        readonly post: operations["CronsController_run"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/crons/{cron_id}/runs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the last 100 runs of a cron, newest first. */
        readonly get: operations["CronsController_runs"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/deploy-hooks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the deploy hooks of a project, oldest first, without their URLs. */
        readonly get: operations["DeployHooksController_list"];
        readonly put?: never;
        /**
         * Creates a secret URL that deploys a branch.
         * @description A POST to the URL needs no key, so that a content management system or a timer can deploy. The URL is returned only once. A hook of the production branch also needs `deploys:production`.
         */
        readonly post: operations["DeployHooksController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/deploy-hooks/{hook_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        readonly post?: never;
        /** Deletes a deploy hook. Its URL stops working at once. */
        readonly delete: operations["DeployHooksController_delete"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/deploys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the deploys of a project, newest first. */
        readonly get: operations["ProjectDeploysController_list"];
        readonly put?: never;
        /**
         * Creates a deploy of a branch of the linked repository, or of an upload.
         * @description The deploy is queued and starts when it is its turn. Older deploys of the same branch and type that still wait are skipped. `type: production` also needs the scope `deploys:production` and a plan that includes it.
         */
        readonly post: operations["ProjectDeploysController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/domains": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the domains of a project, newest first. */
        readonly get: operations["ProjectDomainsController_list"];
        readonly put?: never;
        /**
         * Adds a domain to a project.
         * @description The domain is `pending`: set the `records` at your DNS provider, then verify it. Several organizations may have added a name, but only the one that proves it holds it. Wildcards need a plan that includes them.
         */
        readonly post: operations["ProjectDomainsController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/domains/{domain}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns a domain of a project by its id, or by its name in any spelling. */
        readonly get: operations["ProjectDomainsController_get"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Removes a domain from a project.
         * @description It is no longer served at once, and needs a new proof when it is added again.
         */
        readonly delete: operations["ProjectDomainsController_remove"];
        readonly options?: never;
        readonly head?: never;
        /**
         * Updates the redirects and HSTS of a domain.
         * @description Absent fields stay the same. Redirects to https and HSTS apply behind a proxy of the operator.
         */
        readonly patch: operations["ProjectDomainsController_change"];
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/domains/{domain}/verify": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Checks the records of a domain now.
         * @description Returns the domain with what was found. Domains are checked automatically as well; see `next_check_at`. Each organization can ask 20 times a minute.
         */
        readonly post: operations["ProjectDomainsController_verify"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/env": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the environment variables of a project by name.
         * @description The values of secrets are left out.
         */
        readonly get: operations["ProjectEnvController_list"];
        /**
         * Sets environment variables, and returns all variables of the project.
         * @description Sets all of the variables or none. Variables and targets that are absent from the call stay the same. A deploy uses the variables that are set when it begins.
         */
        readonly put: operations["ProjectEnvController_set"];
        readonly post?: never;
        /**
         * Removes an environment variable from all targets, or from one.
         * @description Succeeds as well if the variable does not exist.
         */
        readonly delete: operations["ProjectEnvController_remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns requests, errors, durations, memory and restarts of a project over time.
         * @description Metrics arrive within about ten seconds and are kept for seven days. They are not billed.
         */
        readonly get: operations["AppMetricsController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/protection": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns who may open the hosts of a project. */
        readonly get: operations["ProtectionController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Changes who may open the hosts of a project.
         * @description Fields that are absent stay the same. Each change revokes all links and cookies that were issued before. A password that no mode needs any more is deleted.
         */
        readonly patch: operations["ProtectionController_change"];
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/rollback": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Rolls production back to an earlier deploy.
         * @description Nothing is built: the deploy keeps the environment that it was built with. Production stays there until the next promote, whatever is deployed meanwhile. Needs `deploys:write` as well.
         */
        readonly post: operations["ProjectDeploysController_rollBack"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/runtime-logs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns or streams what the servers of a project print.
         * @description Sends NDJSON, one object for each line, and a final `{"end": {"after": …, "more": …}}`: repeat the request with that `after` for the next lines. With `follow=true` it stays open and sends new lines. With `Accept: text/event-stream` it always follows and sends events `line`. If the connection is lost, repeat the request with the last `seq` in `Last-Event-ID`.
         */
        readonly get: operations["RuntimeLogsController_log"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/settings": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns the settings that builds and servers of a project use, with where each comes from.
         * @description Settings that the project does not set come from the build of the production deploy or, without one, of the latest ready deploy. Set them with `PATCH /api/v1/projects/{project_id}`.
         */
        readonly get: operations["ProjectSettingsController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/uploads": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates an upload: the list of files of a directory to deploy without git.
         * @description The answer names the content that the project has not stored yet. Send it, then create a deploy with `source: {"upload_id": …}`. Uploads are kept for 7 days.
         */
        readonly post: operations["UploadsController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/uploads/{upload_id}/blobs": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Stores content of an upload, and returns what is still missing.
         * @description The body holds one or more contents, each after its SHA-256 in hexadecimal digits and a line break. The size of each is the announced one. All of them are stored or none.
         */
        readonly put: operations["UploadsController_receive"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/repositories": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the repositories of the organization of the call, newest first. */
        readonly get: operations["RepositoriesController_list"];
        readonly put?: never;
        /** Creates a repository in the organization of the call, empty or from a template. */
        readonly post: operations["RepositoriesController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/repositories/{repository_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns a repository. */
        readonly get: operations["RepositoriesController_get"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes a repository and its content permanently. */
        readonly delete: operations["RepositoriesController_delete"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/repositories/{repository_id}/branches": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the branches of a repository by name, each with its commit.
         * @description Shows what the last push has left; the first 1,000 branches are known. At GitHub, it shows the branches that were pushed since the repository was created here.
         */
        readonly get: operations["RepositoriesController_branches"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/repositories/templates": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the templates of repositories. */
        readonly get: operations["RepositoriesController_templates"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sandbox/executions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the executions of the last 30 days, newest first.
         * @description Covers the organization of the key. To read the output of an execution, request it by ID.
         */
        readonly get: operations["ExecutionsController_list"];
        readonly put?: never;
        /**
         * Runs code in the sandbox, within the limits of the organization's plan.
         * @description Holds the price of the time limit, and charges only for the time that the run takes. Closing the connection while you wait ends the run. With `Dry-Run: true` nothing runs, and `data` has only `language`, `limits` and `max_cost`.
         */
        readonly post: operations["ExecutionsController_create"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sandbox/executions/{execution_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns an execution and, once it has ended, its output. */
        readonly get: operations["ExecutionsController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sandbox/executions/{execution_id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancels a queued or running execution.
         * @description The output is discarded, and the time that the code ran is charged.
         */
        readonly post: operations["ExecutionsController_cancel"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sandbox/limits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Returns the limits of executions on the plan of the organization, and the calls left today. */
        readonly get: operations["SandboxLimitsController_show"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/v1/sandbox/try": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Runs code in the anonymous sandbox, without an account.
         * @description Allows ten runs a day for each IP address. With `Dry-Run: true` nothing runs and nothing is counted, and `data` has only `language` and `limits`.
         */
        readonly post: operations["SandboxController_try"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/health": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Liveness. */
        readonly get: operations["HealthController_health"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/metrics": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns the metrics in the text format of Prometheus.
         * @description Requires `METRICS_TOKEN` as the bearer token if it is set.
         */
        readonly get: operations["MetricsController_index"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns the manifest for agents: the state of the service, its endpoints, runbooks and tasks.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set. Otherwise only programs on the same machine can call it.
         */
        readonly get: operations["OpsController_show"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/alert": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates tasks from alerts, sent by Alertmanager or in the generic form.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set. Otherwise only programs on the same machine can call it. Unknown fields are ignored. The call is refused with 503 only while the database is unavailable; send the alerts again then.
         */
        readonly post: operations["OpsController_alert"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/billing/credits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Grants credits to an organization.
         * @description Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set. Safe to repeat: a key grants once. Refuses a key that was used for another organization or amount.
         */
        readonly post: operations["CreditOperationsController_grant"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/billing/invoices/{invoice_id}/credit-notes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Creates a credit note for an invoice.
         * @description Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set.
         */
        readonly post: operations["InvoiceOperationsController_correct"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/billing/invoices/{invoice_id}/paid": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Marks an invoice as paid.
         * @description Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set.
         */
        readonly post: operations["InvoiceOperationsController_paid"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/billing/invoices/{invoice_id}/void": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Voids an unpaid invoice with a credit note for the amount due.
         * @description Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set.
         */
        readonly post: operations["InvoiceOperationsController_void"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/billing/subscriptions/{org_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        /**
         * Sets the plan of an organization.
         * @description Sets any plan at once, at the list price or an agreed one, and settles a pending request. Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set.
         */
        readonly put: operations["SubscriptionOperationsController_set"];
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/billing/subscriptions/{org_id}/refuse": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Refuses the plan that an organization requested.
         * @description Needs `OPS_TOKEN` as the bearer token and is disabled while that is not set.
         */
        readonly post: operations["SubscriptionOperationsController_refuse"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/errors": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the latest requests that failed with 5xx, and jobs that failed for good, latest first.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set. The log has the details by the request id.
         */
        readonly get: operations["OpsErrorsController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/features": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the feature flags, and which of them can be toggled.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly get: operations["FeaturesController_list"];
        readonly put?: never;
        /**
         * Toggles a feature flag on the allowlist, in every process within a second.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly post: operations["FeaturesController_toggle"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/organizations": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists the organizations of the installation, newest first.
         * @description Requires `OPS_TOKEN` as the bearer token and is disabled while that is not set.
         */
        readonly get: operations["OrganizationAccountsController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/organizations/{org_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns an organization with its owners, limits, plan and latest invoices.
         * @description Requires `OPS_TOKEN` as the bearer token and is disabled while that is not set.
         */
        readonly get: operations["OrganizationAccountsController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/tasks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Lists tasks, newest first.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly get: operations["OpsTasksController_list"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/tasks/{task_id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Returns a task with its history.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly get: operations["OpsTasksController_get"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/tasks/{task_id}/claim": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Claims a task.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set. Claim it again to extend the lease. Refused while another agent holds the task.
         */
        readonly post: operations["OpsTasksController_claim"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/tasks/{task_id}/heartbeat": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Extends your claim of a task.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly post: operations["OpsTasksController_heartbeat"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/tasks/{task_id}/notes": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Adds a note to a task.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly post: operations["OpsTasksController_note"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/tasks/{task_id}/release": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Releases a task that you hold, so that others can claim it.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly post: operations["OpsTasksController_release"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/tasks/{task_id}/resolve": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Resolves a task that you hold or that is unclaimed.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly post: operations["OpsTasksController_resolve"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ops/tasks/{task_id}/silence": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Silences a task, so that it does not count as unclaimed for a while.
         * @description Requires `OPS_TOKEN` as the bearer token if it is set.
         */
        readonly post: operations["OpsTasksController_silence"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/ready": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Reports the readiness of the process and of each part that it depends on. */
        readonly get: operations["HealthController_ready"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        readonly AccessLinkAnswer: {
            readonly data: components["schemas"]["AccessLinkView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly AccessLinkView: {
            /** Format: date-time */
            readonly expires_at: string;
            /**
             * @description The token of the link, for programs: they send it as the header `x-service-protection-bypass`.
             * @example l.…
             */
            readonly token: string;
            /**
             * @description Opens the host in a browser, which then keeps its access in a cookie.
             * @example https://shop-k3f9x2a7cd.apps.example.com/?_service_access=l.…
             */
            readonly url: string;
        };
        readonly AnonymousExecutionAnswer: {
            readonly data: components["schemas"]["ExecutionView"];
            readonly meta: components["schemas"]["AnonymousExecutionMeta"];
        };
        readonly AnonymousExecutionMeta: {
            /** @description Runs left today for the caller's IP address. */
            readonly remaining_executions: number;
            readonly request_id: string;
        };
        readonly AnswerMeta: {
            readonly request_id: string;
        };
        readonly AppMetricsAnswer: {
            readonly data: components["schemas"]["AppMetricsView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly AppMetricsPointView: {
            /** @description Sent to visitors, including headers. */
            readonly bytes: number;
            /** @description Answers with a status of 500 or above. */
            readonly errors: number;
            /** @description The most memory of a server since its start; 0 without a server. */
            readonly memory_peak_bytes: number;
            /** @description Median time to the end of an answer, estimated. */
            readonly p50_ms: number | null;
            /** @description 95th percentile of the same time. */
            readonly p95_ms: number | null;
            readonly requests: number;
            /** @description How often a server ended by itself. */
            readonly restarts: number;
            /**
             * Format: date-time
             * @description Start of the point.
             */
            readonly time: string;
        };
        readonly AppMetricsView: {
            /** Format: date-time */
            readonly from: string;
            /** @description Points in which something happened, oldest first. */
            readonly points: readonly components["schemas"]["AppMetricsPointView"][];
            /** @description Seconds. */
            readonly step: number;
            /** Format: date-time */
            readonly to: string;
        };
        readonly AuditActorView: {
            /** @description API key that was used, if any. */
            readonly key_id?: string;
            /** @description Absent if the service itself acted. */
            readonly user_id?: string;
            readonly username?: string;
        };
        readonly AuditEntryView: {
            /** @example member.role_changed */
            readonly action: string;
            readonly actor: components["schemas"]["AuditActorView"];
            /** Format: date-time */
            readonly at: string;
            /** @description Details of this action. */
            readonly details: {
                readonly [key: string]: unknown;
            };
            /** @example aud_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly ip?: string;
            readonly request_id?: string;
            readonly target: components["schemas"]["AuditTargetView"];
        };
        readonly AuditPageAnswer: {
            readonly data: readonly components["schemas"]["AuditEntryView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly AuditTargetView: {
            readonly id: string;
            /** @example user */
            readonly type: string;
        };
        readonly BillToView: {
            /** @example Acme */
            readonly name: string;
            /** @example acme */
            readonly slug: string;
        };
        readonly BranchCommitView: {
            /**
             * Format: date-time
             * @description The time that the commit claims. Absent when it is unknown.
             */
            readonly committed_at?: string;
            /**
             * @description First line of the message, at most 200 characters. Absent when it is unknown.
             * @example Add the shop
             */
            readonly message?: string;
            /** @example 4b825dc642cb6eb9a060e54bf8d69288fbee4904 */
            readonly sha: string;
        };
        readonly BranchPageAnswer: {
            readonly data: readonly components["schemas"]["BranchView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly BranchView: {
            /** @description The commit that the branch points to. */
            readonly commit: components["schemas"]["BranchCommitView"];
            /** @description Whether clones check it out. */
            readonly is_default: boolean;
            /** @example main */
            readonly name: string;
            /**
             * Format: date-time
             * @description Absent when it was never pushed.
             */
            readonly pushed_at?: string;
        };
        readonly BudgetAnswer: {
            readonly data: components["schemas"]["BudgetView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly BudgetPageAnswer: {
            readonly data: readonly components["schemas"]["BudgetView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly BudgetView: {
            /**
             * @description What new work may cost, in USD.
             * @example 12.499583333
             */
            readonly available: string;
            /** Format: date-time */
            readonly created_at: string;
            /**
             * @description What is held for running work, in USD.
             * @example 0.000416667
             */
            readonly held: string;
            /**
             * @description Limit in USD.
             * @example 25
             */
            readonly limit: string;
            /**
             * Format: date-time
             * @description When it is reset. Absent if it never is.
             */
            readonly resets_at?: string;
            /**
             * @description What was spent in this window, in USD, whatever paid for it.
             * @example 12.5
             */
            readonly spent: string;
            /**
             * @description What it limits: `key:` and the id of an API key.
             * @example key:key_01jd3m8yeqf5rb0xkq5ym8s6tn
             */
            readonly subject: string;
            /** Format: date-time */
            readonly updated_at: string;
            /**
             * @description When it is reset: each day or calendar month (UTC), or never (`total`).
             * @example month
             * @enum {string}
             */
            readonly window: "day" | "month" | "total";
        };
        readonly CallingKeyView: {
            /** @example key_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @enum {string} */
            readonly kind: "personal" | "select_orgs" | "org_bound";
            /** @example x7Qz */
            readonly last4: string;
            readonly name: string;
            /** @example svc_pat_ */
            readonly prefix: string;
        };
        readonly CallingUserView: {
            /** @example ada@example.org */
            readonly email: string;
            readonly email_verified: boolean;
            /** @example usr_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @description True when this call may use the operator endpoints: never with a key or a token. */
            readonly operator: boolean;
            /** @example ada */
            readonly username: string;
        };
        readonly CallsForecastView: {
            /** @description `null` if unlimited. */
            readonly limit: number | null;
            /** @description Calls per hour of this UTC day so far. */
            readonly per_hour: number | null;
            /** @description `null` if unlimited. */
            readonly remaining: number | null;
            /** Format: date-time */
            readonly resets_at: string;
            /**
             * Format: date-time
             * @description When the calls run out. Absent if they last until `resets_at`.
             */
            readonly run_out_at?: string;
            /** @description `null` if unlimited. */
            readonly used: number | null;
        };
        readonly ChangeCronBody: {
            /** @example false */
            readonly enabled?: boolean;
            /**
             * @description Path of the app that is requested with GET.
             * @example /api/cleanup
             */
            readonly path?: string;
            /**
             * @description Cron expression of five fields: minute, hour, day of month, month and day of week.
             * @example 0 5 * * *
             */
            readonly schedule?: string;
            /**
             * @description Time zone of the schedule.
             * @example Europe/Berlin
             */
            readonly time_zone?: string;
        };
        readonly ChangeDomainBody: {
            /**
             * @description Tells browsers to use only https for this name for a year. Switch it on once https works.
             * @example false
             */
            readonly hsts?: boolean;
            /**
             * @description Sends visitors who come over http to https.
             * @example true
             */
            readonly https_redirect?: boolean;
            /**
             * @description Another domain of the project that visitors are sent to, with status 308. Null serves the project.
             * @example example.com
             */
            readonly redirect_to?: string | null;
        };
        readonly ChangeKeyBody: {
            /**
             * @description IP addresses and CIDRs that the key can be used from. An empty list allows every address.
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            readonly allowed_ips?: readonly string[];
            /**
             * Format: date-time
             * @example 2035-01-31T00:00:00Z
             */
            readonly expires_at?: string;
            /** @example shop ci */
            readonly name?: string;
            /**
             * @description Scopes such as `projects:read`, all scopes of a resource such as `projects:*`, or all scopes with `*`.
             * @example [
             *       "projects:read",
             *       "deploys:*"
             *     ]
             */
            readonly scopes?: readonly ("projects:read" | "projects:write" | "projects:delete" | "deploys:read" | "deploys:write" | "deploys:production" | "repositories:read" | "repositories:write" | "sandbox:execute" | "agents:read" | "agents:write" | "agents:run" | "ai:invoke" | "storage:read" | "storage:write" | "databases:read" | "databases:write" | "databases:admin" | "billing:read" | "billing:write" | "keys:read" | "keys:write" | "orgs:read" | "orgs:write" | "orgs:members" | "audit:read" | "projects:*" | "deploys:*" | "repositories:*" | "sandbox:*" | "agents:*" | "ai:*" | "storage:*" | "databases:*" | "billing:*" | "keys:*" | "orgs:*" | "audit:*" | "*")[];
        };
        readonly ChangeOrgBody: {
            /** @example Acme */
            readonly name?: string;
            /**
             * @description The old slug is free for others at once. A personal organization keeps its slug.
             * @example acme
             */
            readonly slug?: string;
        };
        readonly ChangePasswordBody: {
            /**
             * Format: password
             * @example violet-harbor-lantern-42
             */
            readonly current_password: string;
            /**
             * Format: password
             * @description Must not be common, and must not contain the username or the email address.
             * @example violet-harbor-lantern-42
             */
            readonly new_password: string;
        };
        readonly ChangeProjectBody: {
            /**
             * @description Builds the project. Derived from the framework if absent.
             * @example npm run build
             */
            readonly build_command?: string | null;
            /**
             * @description What builds may reach: package registries (the default), or every public address (`open`), which needs a plan with `open_build_network`.
             * @example registries
             * @enum {string|null}
             */
            readonly build_network?: "registries" | "open" | null;
            /**
             * @description Detected in each deploy if absent.
             * @example nextjs
             * @enum {string|null}
             */
            readonly framework?: "django" | "nextjs" | "expo" | "nuxt" | "react-router" | "remix" | "sveltekit" | "solidstart" | "tanstack-start" | "astro" | "qwik" | "gatsby" | "docusaurus" | "vitepress" | "vuepress" | "hexo" | "eleventy" | "angular" | "nestjs" | "nitro" | "create-react-app" | "vue-cli" | "storybook" | "vite" | "parcel" | "rsbuild" | "flask" | "fastapi" | "hono" | "express" | "fastify" | "koa" | "h3" | "python" | "node" | "static" | "docker" | null;
            /**
             * @description The path that must answer with a status below 500 before a deploy goes live; `/` if absent.
             * @example /healthz
             */
            readonly health_path?: string | null;
            /**
             * @description Installs the dependencies. Derived from the lock file if absent.
             * @example npm ci
             */
            readonly install_command?: string | null;
            /** @example Shop */
            readonly name?: string;
            /**
             * @description Read from package.json if absent.
             * @example 24
             * @enum {string|null}
             */
            readonly node_version?: "20" | "22" | "24" | null;
            /**
             * @description The output of the build, below `root_directory`. Derived from the framework if absent.
             * @example dist
             */
            readonly output_directory?: string | null;
            /**
             * @description The branch whose deploys are production deploys.
             * @example main
             */
            readonly production_branch?: string;
            /**
             * @description The clone URL of the repository: https, a public host, no user. For repositories of this service, use the `repo_url` of the repository.
             * @example https://github.com/acme/shop
             */
            readonly repo_url?: string | null;
            /**
             * @description The directory of the project in its repository; the root if absent.
             * @example apps/web
             */
            readonly root_directory?: string | null;
            /**
             * @description The new slug. The old one is available to others at once.
             * @example shop
             */
            readonly slug?: string;
            /**
             * @description Starts the server. Derived from the framework if absent.
             * @example npm start
             */
            readonly start_command?: string | null;
            /**
             * @description How long the server may take to start, in milliseconds; 15000 if absent.
             * @example 30000
             */
            readonly start_timeout_ms?: number | null;
        };
        readonly ChangeProtectionBody: {
            /**
             * @description Required when a mode is password and there is no password yet. It is stored as a hash.
             * @example a-password-for-reviewers
             */
            readonly password?: string;
            /**
             * @description Who may open the hosts of branches and of single deploys. none: everybody. members: only holders of a signed link, which members create. password: those, and anybody who knows the password.
             * @example password
             * @enum {string}
             */
            readonly previews?: "none" | "members" | "password";
            /**
             * @description Who may open the production host. The modes are those of previews.
             * @example none
             * @enum {string}
             */
            readonly production?: "none" | "members" | "password";
        };
        readonly ChangeRoleBody: {
            /**
             * @example admin
             * @enum {string}
             */
            readonly role: "owner" | "admin" | "member" | "viewer";
        };
        readonly CheckoutBody: {
            /**
             * @example pro
             * @enum {string}
             */
            readonly plan: "builder" | "pro" | "enterprise";
        };
        readonly ChoosePlanBody: {
            /**
             * @description A larger plan begins at once, a smaller one with the next period. The current plan drops a planned change.
             * @example builder
             * @enum {string}
             */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
        };
        readonly CommitView: {
            /** @description Name of the author. */
            readonly author: string;
            /** @description First line of the commit message. */
            readonly message: string;
            /** @example 4b825dc642cb6eb9a060e54bf8d69288fbee4904 */
            readonly sha: string;
        };
        readonly ConnectGithubBody: {
            /**
             * @description The `code` that GitHub returned, valid once and for ten minutes.
             * @example 3584d83530557fdd1f46
             */
            readonly code: string;
            /**
             * @description The `installation_id` that GitHub returned.
             * @example 48211093
             */
            readonly installation_id: number;
            /**
             * @description The `state` that GitHub returned.
             * @example ghs_01jd3m8yeqf5rb0xkq5ym8s6tn
             */
            readonly state: string;
        };
        readonly CreateAccessLinkBody: {
            /**
             * @description Host of the project to open. Defaults to the production host.
             * @example shop-new-cart-x7qf2m4kab.apps.example.com
             */
            readonly host?: string;
        };
        readonly CreateCronBody: {
            /**
             * @default true
             * @example true
             */
            readonly enabled: boolean;
            /**
             * @description Path of the app that is requested with GET.
             * @example /api/cleanup
             */
            readonly path: string;
            /**
             * @description Cron expression of five fields: minute, hour, day of month, month and day of week.
             * @example 0 5 * * *
             */
            readonly schedule: string;
            /**
             * @description Time zone of the schedule.
             * @default UTC
             * @example Europe/Berlin
             */
            readonly time_zone: string;
        };
        readonly CreateDeployBody: {
            /**
             * @description Branch to deploy. Defaults to the production branch of the project.
             * @example main
             */
            readonly branch?: string;
            /**
             * @description Full hash of a commit. Defaults to the head of the branch when the deploy starts.
             * @example 8d4e3c7a1b90f2655e4d3c2b1a09f8e7d6c5b4a3
             */
            readonly commit?: string;
            /**
             * @description Builds even if this commit was built before with the same settings and variables.
             * @default false
             * @example false
             */
            readonly force: boolean;
            /**
             * @description Deploys an upload instead of the linked repository, which the project then does not need. `branch` only names the deploy, and `commit` must be absent.
             * @example {
             *       "upload_id": "upl_01jd3m8yeqf5rb0xkq5ym8s6tn"
             *     }
             */
            readonly source?: components["schemas"]["DeploySourceBody"];
            /**
             * @description production: served by the production host of the project, if the plan includes it. preview: served by a host of its own for the branch.
             * @default preview
             * @example preview
             * @enum {string}
             */
            readonly type: "preview" | "production";
        };
        readonly CreateDeployHookBody: {
            /**
             * @description Branch that the hook deploys.
             * @example main
             */
            readonly branch: string;
            /**
             * @description What calls the hook, for the list.
             * @example Content changed
             */
            readonly name: string;
        };
        readonly CreateDomainBody: {
            /**
             * @description Tells browsers to use only https for this name for a year. Switch it on once https works.
             * @default false
             * @example false
             */
            readonly hsts: boolean;
            /**
             * @description Sends visitors who come over http to https.
             * @default true
             * @example true
             */
            readonly https_redirect: boolean;
            /**
             * @description The domain, in ASCII or as people read it. `*.example.com` stands for all names one level below.
             * @example shop.example.com
             */
            readonly name: string;
            /**
             * @description Another domain of the project that visitors are sent to, with status 308.
             * @example example.com
             */
            readonly redirect_to?: string;
            /**
             * @description Also adds `www.` before the name, as a redirect to it.
             * @default false
             * @example true
             */
            readonly www_redirect: boolean;
        };
        readonly CreateKeyBody: {
            /**
             * @description IP addresses and CIDRs that the key can be used from. An empty list allows every address.
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            readonly allowed_ips?: readonly string[];
            /**
             * Format: date-time
             * @description When the key expires. Without it or `expires_in_days`, the key never expires.
             * @example 2035-01-31T00:00:00Z
             */
            readonly expires_at?: string;
            /** @example 90 */
            readonly expires_in_days?: number;
            /**
             * @default personal
             * @example personal
             * @enum {string}
             */
            readonly kind: "personal" | "select_orgs" | "org_bound";
            /** @example ci */
            readonly name: string;
            /**
             * @description Id or slug of the organization of an org-bound key.
             * @example acme
             */
            readonly org_id?: string;
            /**
             * @description Ids or slugs of the organizations that a select-orgs key has access to.
             * @example [
             *       "acme",
             *       "example-labs"
             *     ]
             */
            readonly org_ids?: readonly string[];
            /**
             * @description Scopes for a purpose, instead of `scopes`. The default is `full`.
             * @example ci_deploy
             * @enum {string}
             */
            readonly preset?: "read_only" | "ci_deploy" | "agent" | "full";
            /**
             * @description Scopes such as `projects:read`, all scopes of a resource such as `projects:*`, or all scopes with `*`.
             * @example [
             *       "projects:read",
             *       "deploys:*"
             *     ]
             */
            readonly scopes?: readonly ("projects:read" | "projects:write" | "projects:delete" | "deploys:read" | "deploys:write" | "deploys:production" | "repositories:read" | "repositories:write" | "sandbox:execute" | "agents:read" | "agents:write" | "agents:run" | "ai:invoke" | "storage:read" | "storage:write" | "databases:read" | "databases:write" | "databases:admin" | "billing:read" | "billing:write" | "keys:read" | "keys:write" | "orgs:read" | "orgs:write" | "orgs:members" | "audit:read" | "projects:*" | "deploys:*" | "repositories:*" | "sandbox:*" | "agents:*" | "ai:*" | "storage:*" | "databases:*" | "billing:*" | "keys:*" | "orgs:*" | "audit:*" | "*")[];
        };
        readonly CreateOrgBody: {
            /** @example Acme */
            readonly name: string;
            /**
             * @description Identifies the organization in paths and headers. The default is derived from the name.
             * @example acme
             */
            readonly slug?: string;
        };
        readonly CreateProjectBody: {
            /**
             * @description Builds the project. Derived from the framework if absent.
             * @example npm run build
             */
            readonly build_command?: string;
            /**
             * @description What builds may reach: package registries (the default), or every public address (`open`), which needs a plan with `open_build_network`.
             * @example registries
             * @enum {string}
             */
            readonly build_network?: "registries" | "open";
            /**
             * @description Detected in each deploy if absent.
             * @example nextjs
             * @enum {string}
             */
            readonly framework?: "django" | "nextjs" | "expo" | "nuxt" | "react-router" | "remix" | "sveltekit" | "solidstart" | "tanstack-start" | "astro" | "qwik" | "gatsby" | "docusaurus" | "vitepress" | "vuepress" | "hexo" | "eleventy" | "angular" | "nestjs" | "nitro" | "create-react-app" | "vue-cli" | "storybook" | "vite" | "parcel" | "rsbuild" | "flask" | "fastapi" | "hono" | "express" | "fastify" | "koa" | "h3" | "python" | "node" | "static" | "docker";
            /**
             * @description The path that must answer with a status below 500 before a deploy goes live; `/` if absent.
             * @example /healthz
             */
            readonly health_path?: string;
            /**
             * @description Installs the dependencies. Derived from the lock file if absent.
             * @example npm ci
             */
            readonly install_command?: string;
            /** @example Shop */
            readonly name: string;
            /**
             * @description Read from package.json if absent.
             * @example 24
             * @enum {string}
             */
            readonly node_version?: "20" | "22" | "24";
            /**
             * @description The output of the build, below `root_directory`. Derived from the framework if absent.
             * @example dist
             */
            readonly output_directory?: string;
            /**
             * @description The branch whose deploys are production deploys. Default: main.
             * @example main
             */
            readonly production_branch?: string;
            /**
             * @description The clone URL of the repository: https, a public host, no user. For repositories of this service, use the `repo_url` of the repository.
             * @example https://github.com/acme/shop
             */
            readonly repo_url?: string;
            /**
             * @description The directory of the project in its repository; the root if absent.
             * @example apps/web
             */
            readonly root_directory?: string;
            /**
             * @description The name of the project in paths and hosts. Derived from the name if absent, with a number if that is taken.
             * @example shop
             */
            readonly slug?: string;
            /**
             * @description Starts the server. Derived from the framework if absent.
             * @example npm start
             */
            readonly start_command?: string;
            /**
             * @description How long the server may take to start, in milliseconds; 15000 if absent.
             * @example 30000
             */
            readonly start_timeout_ms?: number;
        };
        readonly CreateRepositoryBody: {
            /**
             * @description The GitHub account; required with `github` if the organization has connected several.
             * @example acme
             */
            readonly account?: string;
            /**
             * @description Unique in the organization, regardless of case.
             * @example shop
             */
            readonly name: string;
            /**
             * @description The visibility at GitHub: private unless this is `false`.
             * @example true
             */
            readonly private?: boolean;
            /**
             * @description The host of the repository; this service if absent. `github` needs a template, and an account that the organization has connected.
             * @example github
             * @enum {string}
             */
            readonly provider?: "service" | "github";
            /**
             * @description The template of the first commit. The repository is empty if absent.
             * @example nextjs
             * @enum {string}
             */
            readonly template?: "nextjs" | "expo";
        };
        readonly CreateShareLinkBody: {
            /**
             * @description Seconds after which the link, and the access of the browsers that followed it, end.
             * @default 86400
             * @example 86400
             */
            readonly expires_in: number;
        };
        readonly CreateUploadBody: {
            readonly files: readonly components["schemas"]["UploadFileBody"][];
        };
        readonly CreateWebhookEndpointBody: {
            /**
             * @default
             * @example Chat of the team
             */
            readonly description: string;
            /**
             * @description Types of events to send. Empty means all, later ones included.
             * @default []
             * @example [
             *       "deploy.ready",
             *       "deploy.error"
             *     ]
             */
            readonly types: readonly ("deploy.queued" | "deploy.initializing" | "deploy.building" | "deploy.deploying" | "deploy.ready" | "deploy.error" | "deploy.canceled" | "deploy.skipped" | "deploy.live" | "execution.finished" | "invoice.finalized" | "invoice.paid" | "invoice.overdue" | "invoice.voided" | "invoice.corrected" | "spend.warning" | "budget.warning" | "webhook_endpoint.paused")[];
            /**
             * @description An https URL with the name of a public host. Redirects are not followed.
             * @example https://hooks.example.com/service
             */
            readonly url: string;
        };
        readonly CredentialView: {
            /** @description Present if `type` is `api_key`. */
            readonly key?: components["schemas"]["CallingKeyView"];
            /** @enum {string} */
            readonly type: "session" | "api_key";
        };
        readonly CreditNoteBody: {
            /**
             * @description Amount in USD, as a decimal in whole cents.
             * @example 12.50
             */
            readonly amountUsd: string;
            /**
             * @description An idempotency key: each key creates one credit note.
             * @example ticket-4711
             */
            readonly key: string;
            /**
             * @description The reason, shown on the credit note.
             * @example Downtime on 3 December
             */
            readonly reason: string;
        };
        readonly CreditNoteView: {
            /** @example 10.00 */
            readonly amount: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @example crn_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example CN-000003 */
            readonly number: string;
            readonly reason: string;
        };
        readonly CreditsAnswer: {
            readonly data: components["schemas"]["CreditsView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly CreditsForecastView: {
            /**
             * @description Amount in USD, as a decimal.
             * @example 4.123456789
             */
            readonly balance: string;
            /** @description The part of the balance that is held for running work. */
            readonly held: string;
            /** @description Cost of the usage of the last 24 hours in USD. */
            readonly per_day: string;
            /**
             * Format: date-time
             * @description When the credits run out. Absent if nothing is used, or they last for ten years.
             */
            readonly run_out_at?: string;
        };
        readonly CreditsView: {
            /**
             * @description What is left of all grants in USD, as a decimal, including what is held.
             * @example 4.123456789
             */
            readonly balance: string;
            /** @description Grants with something left, in the order in which they are used. */
            readonly grants: readonly components["schemas"]["GrantView"][];
            /**
             * @description The part of the balance that is held for running work, in USD.
             * @example 0.000416667
             */
            readonly held: string;
        };
        readonly CronAnswer: {
            readonly data: components["schemas"]["CronView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly CronRunAnswer: {
            readonly data: components["schemas"]["CronRunView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly CronRunsAnswer: {
            readonly data: readonly components["schemas"]["CronRunView"][];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly CronRunView: {
            /** @description Absent while the run is active. */
            readonly duration_ms?: number;
            /** @example crun_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description succeeded: a status below 400. failed: another status, or none. overlapped: the last run was still active. missed: the service was not running. no_production: nothing was in production. lost: the process ended.
             * @enum {string}
             */
            readonly outcome: "running" | "succeeded" | "failed" | "timed_out" | "overlapped" | "missed" | "no_production" | "lost";
            /** Format: date-time */
            readonly scheduled_for: string;
            /** Format: date-time */
            readonly started_at: string;
            /**
             * @description Status of the answer, if there was one.
             * @example 200
             */
            readonly status?: number;
            /**
             * @description manual: begun by `POST …/run`.
             * @enum {string}
             */
            readonly trigger: "schedule" | "manual";
        };
        readonly CronsAnswer: {
            readonly data: readonly components["schemas"]["CronView"][];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly CronView: {
            /** Format: date-time */
            readonly created_at: string;
            readonly enabled: boolean;
            /** @example cron_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @description The next three times. Empty unless active. */
            readonly next_runs: readonly string[];
            /** @example /api/cleanup */
            readonly path: string;
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly project_id: string;
            /** @example 0 5 * * * */
            readonly schedule: string;
            /**
             * @description file: set by vercel.json of the production deploy.
             * @enum {string}
             */
            readonly source: "api" | "file";
            /**
             * @description paused: the plan does not include crons, so it does not run.
             * @enum {string}
             */
            readonly state: "active" | "disabled" | "paused";
            /** @example UTC */
            readonly time_zone: string;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly DatedInvoiceStateView: {
            /**
             * @example [
             *       "CN-000003"
             *     ]
             */
            readonly creditNotes: readonly string[];
            /** Format: date-time */
            readonly dueAt: string;
            /**
             * @description Amount still to be paid.
             * @example 38.80
             */
            readonly dueUsd: string;
            /** @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example INV-000042 */
            readonly number: string;
            readonly orgId: string;
            /**
             * Format: date-time
             * @description The beginning of the billed month.
             */
            readonly periodFrom: string;
            /** @enum {string} */
            readonly state: "gathering" | "draft" | "finalized" | "paid" | "overdue" | "void";
            /** @example 51.30 */
            readonly totalUsd: string;
        };
        readonly DeployAnswer: {
            readonly data: components["schemas"]["DeployView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly DeployEventsAnswer: {
            readonly data: readonly components["schemas"]["DeployEventView"][];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly DeployEventView: {
            /** Format: date-time */
            readonly at: string;
            readonly attempt: number;
            readonly details: {
                readonly [key: string]: unknown;
            };
            /** @enum {string} */
            readonly from?: "queued" | "initializing" | "building" | "deploying" | "ready" | "error" | "canceled" | "skipped";
            /**
             * @description state: the state changed. handed_back: an attempt was lost and the deploy is queued again. live: hosts were pointed to the deploy.
             * @enum {string}
             */
            readonly kind: "state" | "handed_back" | "live";
            /** @enum {string} */
            readonly to?: "queued" | "initializing" | "building" | "deploying" | "ready" | "error" | "canceled" | "skipped";
        };
        readonly DeployHooksAnswer: {
            readonly data: readonly components["schemas"]["DeployHookView"][];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly DeployHookView: {
            /** @example main */
            readonly branch: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @example dhk_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * Format: date-time
             * @description Absent until the hook is called.
             */
            readonly last_used_at?: string;
            /** @example Content changed */
            readonly name: string;
            /** @description True if the hook may deploy the production branch to production, because its creator may. Otherwise it only creates previews. */
            readonly production: boolean;
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly project_id: string;
        };
        readonly DeployLogLineView: {
            /** @enum {string} */
            readonly phase: "queue" | "resolve" | "fetch" | "install" | "build" | "collect" | "ingest" | "check" | "live";
            /** @description Number of the line, from 1 and without gaps. */
            readonly seq: number;
            /**
             * @description system: written by the platform.
             * @enum {string}
             */
            readonly stream: "stdout" | "stderr" | "system";
            /** @description One line, with the values of secrets masked. */
            readonly text: string;
            /** Format: date-time */
            readonly time: string;
        };
        readonly DeployPageAnswer: {
            readonly data: readonly components["schemas"]["DeployView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly DeploySourceBody: {
            /**
             * @description A complete upload of the project.
             * @example upl_01jd3m8yeqf5rb0xkq5ym8s6tn
             */
            readonly upload_id: string;
        };
        readonly DeployView: {
            /** @description Other URLs that lead to this deploy now: production first, then the host of its branch. */
            readonly aliases: readonly string[];
            /** @description Number of times that the deploy was assigned to a worker. */
            readonly attempt: number;
            /** @example main */
            readonly branch: string;
            /**
             * Format: date-time
             * @description Time of the last attempt.
             */
            readonly building_at?: string;
            /** @description Absent until the commit is known. */
            readonly commit?: components["schemas"]["CommitView"];
            /** Format: date-time */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description Time of the last attempt.
             */
            readonly deploying_at?: string;
            /** @description Reason of the state `error`. */
            readonly error?: components["schemas"]["FailureView"];
            /** @description True if the files were deleted, so that the deploy can no longer be opened. */
            readonly files_removed?: boolean;
            /** Format: date-time */
            readonly finished_at?: string;
            /** @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * Format: date-time
             * @description Time of the last attempt.
             */
            readonly initializing_at?: string;
            /** @description True if production, or the branch host of a preview, leads to this deploy. */
            readonly live: boolean;
            /** @description Result of the build, once the deploy is ready. */
            readonly output?: components["schemas"]["OutputView"];
            /** @description Time spent in each phase, in milliseconds, once the deploy has ended. */
            readonly phase_ms: {
                readonly [key: string]: number;
            };
            /** @description True if production was rolled back to this deploy and stays there until the next promote. */
            readonly pinned?: boolean;
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly project_id: string;
            /** Format: date-time */
            readonly ready_at?: string;
            /** @description Id of the earlier deploy whose files are reused: same commit, settings and variables. */
            readonly same_as?: string;
            /**
             * @description queued, initializing, building and deploying are active, the others are final. skipped: a newer deploy of the branch was queued before this one started.
             * @enum {string}
             */
            readonly state: "queued" | "initializing" | "building" | "deploying" | "ready" | "error" | "canceled" | "skipped";
            /** @enum {string} */
            readonly trigger: "api" | "push" | "hook";
            /**
             * @description production: served by the production host of the project, if the plan includes it. preview: served by a host of its own for the branch.
             * @enum {string}
             */
            readonly type: "preview" | "production";
            /** @description Id of the upload that is deployed. Absent for a repository. */
            readonly upload_id?: string;
            /** @description Permanent URL of this deploy. It responds once the deploy is ready. */
            readonly url: string;
        };
        readonly DomainAnswer: {
            readonly data: components["schemas"]["DomainView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly DomainPageAnswer: {
            readonly data: readonly components["schemas"]["DomainView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly DomainProblemView: {
            /** @enum {string} */
            readonly code: "challenge_missing" | "records_missing" | "records_elsewhere" | "resolver_unavailable" | "held_by_another" | "taken_over" | "wildcards_not_in_plan";
            /** @example No TXT record with the expected value exists. */
            readonly message: string;
        };
        readonly DomainRecordView: {
            /** @example _service-challenge.example.com */
            readonly name: string;
            /**
             * @description `verification` proves that the domain is yours, `routing` leads its visitors here.
             * @enum {string}
             */
            readonly purpose: "verification" | "routing";
            /** @description What the last check found in its place, at most 10 values. */
            readonly seen: readonly string[];
            /**
             * @description The result of the last check. `other`: a record exists, but with another value.
             * @enum {string}
             */
            readonly status: "unchecked" | "found" | "missing" | "other" | "unknown";
            /**
             * @description `ALIAS` is the record that DNS providers offer instead of a CNAME at the top of a zone.
             * @enum {string}
             */
            readonly type: "TXT" | "CNAME" | "A" | "AAAA" | "ALIAS";
            /** @example service-verification=7d1f… */
            readonly value: string;
        };
        readonly DomainView: {
            /** Format: date-time */
            readonly active_at?: string;
            /** Format: date-time */
            readonly checked_at?: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Tells browsers to use only https for this name for a year. Switch it on once https works. */
            readonly hsts: boolean;
            /** @description Sends visitors who come over http to https. */
            readonly https_redirect: boolean;
            /** @example dom_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description The name in ASCII and lower case.
             * @example xn--bcher-kva.de
             */
            readonly name: string;
            /**
             * Format: date-time
             * @description The next automatic check. Absent when there is none.
             */
            readonly next_check_at?: string;
            /** @description Why the last check did not succeed. */
            readonly problem?: components["schemas"]["DomainProblemView"];
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly project_id: string;
            /** @description The records to set at your DNS provider, and to keep. */
            readonly records: readonly components["schemas"]["DomainRecordView"][];
            readonly redirect_to?: string;
            /**
             * Format: date-time
             * @description When the domain is lost unless a check succeeds before. Only while checks fail.
             */
            readonly served_until?: string;
            /**
             * @description `pending`: not proved. `verified`: proved, but it does not lead here yet. `active`: served. `misconfigured`: checks fail; served until `served_until`.
             * @enum {string}
             */
            readonly state: "pending" | "verified" | "active" | "misconfigured";
            /**
             * @description The name as people read it.
             * @example bücher.de
             */
            readonly unicode_name: string;
            /** Format: date-time */
            readonly verified_at?: string;
        };
        readonly EmailVerifiedAnswer: {
            readonly data: components["schemas"]["EmailVerifiedView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly EmailVerifiedView: {
            /** @enum {boolean} */
            readonly email_verified: true;
        };
        readonly EnvAnswer: {
            readonly data: readonly components["schemas"]["EnvVariableView"][];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly EnvVariableBody: {
            /** @example DATABASE_URL */
            readonly name: string;
            /**
             * @description If true, the default, the value is never shown. If false, it can be read again.
             * @example true
             */
            readonly secret?: boolean;
            /**
             * @description production: deploys of the production branch. preview: all other deploys. development: local development.
             * @example [
             *       "production"
             *     ]
             */
            readonly targets: readonly ("production" | "preview" | "development")[];
            /**
             * @description At most 65536 bytes of UTF-8, without NUL.
             * @example postgres://shop:secret@db.example.org/shop
             */
            readonly value: string;
        };
        readonly EnvVariableView: {
            /** @example DATABASE_URL */
            readonly name: string;
            readonly secret: boolean;
            /** @description The targets that share this value. A variable with different values is listed once for each. */
            readonly targets: readonly ("production" | "preview" | "development")[];
            /** Format: date-time */
            readonly updated_at: string;
            /** @description The value; absent for a secret. */
            readonly value?: string;
        };
        readonly ErrorAnswer: {
            readonly error: components["schemas"]["ErrorView"];
            readonly meta: components["schemas"]["MetaView"];
        };
        readonly ErrorView: {
            /** @enum {string} */
            readonly code: "already_exists" | "api_key_not_found" | "budget_exceeded" | "budget_not_found" | "burst_limit_exceeded" | "concurrency_limit_exceeded" | "conflicting_credentials" | "credit_too_large" | "credits_exhausted" | "cron_from_file" | "cron_not_found" | "cross_site_request" | "daily_limit_exceeded" | "deploy_already_over" | "deploy_hook_not_found" | "deploy_in_use" | "deploy_not_found" | "deploy_not_ready" | "domain_in_use" | "domain_limit_reached" | "domain_not_found" | "email_not_verified" | "email_taken" | "execution_already_over" | "execution_not_found" | "expired_api_key" | "feature_disabled" | "feature_not_in_plan" | "flag_fixed" | "flag_not_allowlisted" | "flag_not_found" | "git_service_not_offered" | "github_access_denied" | "github_installation_not_found" | "github_not_connected" | "headers_too_large" | "idempotency_in_progress" | "idempotency_mismatch" | "insufficient_scopes" | "integration_not_configured" | "internal_error" | "invalid_api_key" | "invalid_credentials" | "invalid_email_token" | "invalid_link_state" | "invalid_request" | "invalid_session" | "invalid_signature" | "invalid_token" | "invitation_not_found" | "invoice_closed" | "invoice_not_found" | "ip_not_allowed" | "key_org_mismatch" | "last_owner" | "malformed_api_key" | "malformed_json" | "malformed_request" | "member_not_found" | "method_not_allowed" | "misdirected_request" | "missing_api_key" | "no_earlier_deploy" | "operator_required" | "ops_task_not_found" | "org_access_denied" | "organization_not_found" | "page_not_found" | "payload_too_large" | "payment_method_required" | "personal_organization" | "plan_by_contract" | "plan_limit_reached" | "plan_request_not_found" | "plan_too_small" | "project_has_no_repository" | "project_not_found" | "project_not_live" | "repository_full" | "repository_not_found" | "request_timeout" | "revoked_api_key" | "rotated_api_key" | "route_not_found" | "sandbox_daily_limit_exceeded" | "sandbox_unavailable" | "service_unavailable" | "session_not_found" | "session_required" | "session_token_not_allowed" | "sign_in_limit_exceeded" | "spend_cap_reached" | "stale_version" | "storage_limit_reached" | "storage_unavailable" | "task_already_claimed" | "task_already_resolved" | "task_not_claimed" | "unsupported_media_type" | "upload_content_invalid" | "upload_incomplete" | "upload_not_found" | "upload_storage_full" | "upload_too_large" | "upstream_error" | "username_taken" | "webhook_delivery_not_found" | "webhook_endpoint_not_found" | "webhook_endpoint_paused";
            readonly dashboard_url?: string;
            /** @description Details that depend on the code; for `invalid_request`, one entry per field. */
            readonly details?: Record<string, never> | readonly Record<string, never>[];
            readonly docs_url?: string;
            readonly hint?: string;
            readonly message: string;
            /** @description Seconds, with 429 and 503. */
            readonly retry_after?: number;
            readonly status: number;
            /** @enum {string} */
            readonly type: "validation_error" | "auth_error" | "insufficient_credits_error" | "authorization_error" | "not_found_error" | "conflict_error" | "rate_limit_error" | "api_error";
            /** @description With 402 and 429. */
            readonly upgrade_url?: string;
        };
        readonly EventView: {
            /** Format: date-time */
            readonly created_at: string;
            /** @description Ids and facts, by type of event. */
            readonly data: {
                readonly [key: string]: unknown;
            };
            /** @example evt_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @description Increases with each event, with gaps. */
            readonly seq: number;
            /** @enum {string} */
            readonly type: "deploy.queued" | "deploy.initializing" | "deploy.building" | "deploy.deploying" | "deploy.ready" | "deploy.error" | "deploy.canceled" | "deploy.skipped" | "deploy.live" | "execution.finished" | "invoice.finalized" | "invoice.paid" | "invoice.overdue" | "invoice.voided" | "invoice.corrected" | "spend.warning" | "budget.warning" | "webhook_endpoint.paused";
        };
        readonly ExecutionErrorView: {
            readonly column?: number;
            /** @description Line in the submitted code. */
            readonly line?: number;
            /** @example division by zero */
            readonly message: string;
            /** @example ZeroDivisionError */
            readonly name: string;
            readonly stack?: string;
        };
        readonly ExecutionPageAnswer: {
            readonly data: readonly components["schemas"]["ListedExecutionView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly ExecutionRequest: {
            /**
             * @description The program, at most 128 KiB of UTF-8.
             * @example print(1 + 2)
             */
            readonly code: string;
            /**
             * @example python
             * @enum {string}
             */
            readonly language: "typescript" | "javascript" | "python";
            /**
             * @description Standard input of the program, at most 128 KiB of UTF-8.
             * @example Ada
             */
            readonly stdin?: string;
        };
        readonly ExecutionView: {
            readonly cpu_ms: number;
            /** @description Wall time of the run, in milliseconds. */
            readonly duration_ms: number;
            readonly error?: components["schemas"]["ExecutionErrorView"];
            /** @description Null when a signal ended the run. */
            readonly exit_code: number | null;
            /** @example exe_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @enum {string} */
            readonly language: "typescript" | "javascript" | "python";
            readonly memory_peak_bytes: number;
            /** @description Time in the queue, in milliseconds. */
            readonly queue_ms: number;
            readonly runtime: components["schemas"]["RuntimeView"];
            /** @example null */
            readonly signal: string | null;
            /** @enum {string} */
            readonly status: "succeeded" | "failed" | "timed_out" | "out_of_memory" | "output_limit";
            readonly stderr: string;
            readonly stdout: string;
            readonly truncated: components["schemas"]["TruncatedView"];
        };
        readonly ExplainBody: {
            /**
             * @example POST
             * @enum {string}
             */
            readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
            /**
             * @description Id or slug of the organization. The default is that of a call without `x-service-org`.
             * @example acme
             */
            readonly org?: string;
            /** @example /api/v1/sandbox/executions */
            readonly path: string;
        };
        readonly ExplainedOrganization: {
            readonly id: string;
            readonly plan: string;
            readonly role: string;
            readonly slug: string;
        };
        readonly ExplanationAnswer: {
            readonly data: components["schemas"]["ExplanationView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly ExplanationView: {
            /** @description True when such a call would be allowed now. */
            readonly allowed: boolean;
            /** @description Error code that the call would return. */
            readonly code?: string;
            /** @description Smallest change that would allow the call. */
            readonly fix?: string;
            readonly message?: string;
            readonly organization?: components["schemas"]["ExplainedOrganization"];
            /**
             * @description The first check that refuses the call.
             * @enum {string}
             */
            readonly refused_by?: "route" | "credential" | "organization" | "budget" | "scope" | "role" | "email";
            readonly required_scopes: readonly string[];
            /** @example POST /api/v1/keys/:key_id/rotate */
            readonly route?: string;
        };
        readonly FailedJobView: {
            /** @description How often it was tried. */
            readonly attempts: number;
            /** Format: date-time */
            readonly failedAt: string;
            readonly id: string;
            /** @example deploys */
            readonly queue: string;
            /** @description The message of the last error, at most 300 characters. */
            readonly reason: string;
        };
        readonly FailureView: {
            /**
             * @description One of the codes listed in the documentation of deploys.
             * @example build_failed
             */
            readonly code: string;
            readonly message: string;
        };
        readonly FileBody: {
            /**
             * @description UTF-8.
             * @example def greet(name):
             *         return "hello, " + name
             */
            readonly content: string;
            /**
             * @description Path relative to the working directory of the program.
             * @example lib/greet.py
             */
            readonly path: string;
        };
        readonly FlagsView: {
            /** @description `FEATURE_FLAG_ALLOWLIST`. */
            readonly allowlist: readonly string[];
            readonly flags: readonly components["schemas"]["FlagView"][];
        };
        readonly FlagView: {
            /** @description True when POST /ops/features can toggle the flag. */
            readonly allowlisted: boolean;
            readonly default: boolean;
            readonly description: string;
            readonly enabled: boolean;
            /** @example sign_ups */
            readonly name: string;
            /** @enum {string} */
            readonly source: "default" | "database" | "env";
            /** Format: date-time */
            readonly updatedAt?: string;
            readonly updatedBy?: string;
            /** @description The number of toggles; 0 for a flag that was never toggled. */
            readonly version: number;
        };
        readonly ForecastAnswer: {
            readonly data: components["schemas"]["ForecastView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly ForecastView: {
            readonly calls: components["schemas"]["CallsForecastView"];
            readonly credits: components["schemas"]["CreditsForecastView"];
            readonly month: components["schemas"]["MonthForecastView"];
            /** @description The five most expensive items of the last 24 hours. */
            readonly top: readonly components["schemas"]["TopUsageView"][];
        };
        readonly ForgotPasswordBody: {
            /**
             * Format: email
             * @example ada@example.org
             */
            readonly email: string;
        };
        readonly GenericAlertBody: {
            /**
             * @example {
             *       "dashboard": "https://grafana.example.org/d/disk"
             *     }
             */
            readonly annotations?: {
                readonly [key: string]: string;
            };
            /**
             * @description Alerts with the same key belong to the same fault. Derived from source, title and labels if absent.
             * @example disk:db-1
             */
            readonly dedupKey?: string;
            /** @example Less than 5 % are free. */
            readonly description?: string;
            /**
             * @example {
             *       "instance": "db-1"
             *     }
             */
            readonly labels?: {
                readonly [key: string]: string;
            };
            /**
             * @description The tag of the runbook for the task.
             * @example disk
             */
            readonly runbookTag?: string;
            /**
             * @default warning
             * @example critical
             * @enum {string}
             */
            readonly severity: "critical" | "warning" | "info";
            /** @example node-exporter */
            readonly source?: string;
            /**
             * Format: date-time
             * @example 2026-12-03T08:30:00Z
             */
            readonly startsAt?: string;
            /**
             * @default firing
             * @example firing
             * @enum {string}
             */
            readonly status: "firing" | "resolved";
            /** @example The disk of the database is nearly full */
            readonly title: string;
            /** @example https://grafana.example.org/d/disk */
            readonly url?: string;
        };
        readonly GithubAnswer: {
            readonly data: components["schemas"]["GithubView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly GithubInstallationAnswer: {
            readonly data: components["schemas"]["GithubInstallationView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly GithubInstallationView: {
            /** @example acme */
            readonly account: string;
            /** @example Organization */
            readonly account_type: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @example ghi_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description The id of the installation at GitHub.
             * @example 48211093
             */
            readonly installation_id: number;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /**
             * Format: date-time
             * @description Set while the installation is suspended at GitHub; nothing can be read then.
             */
            readonly suspended_at?: string;
        };
        readonly GithubLinkAnswer: {
            readonly data: components["schemas"]["GithubLinkView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly GithubLinkView: {
            /** @description Open this URL instead if the account has the app already. */
            readonly authorize_url: string;
            /** Format: date-time */
            readonly expires_at: string;
            /**
             * @description Open this URL in a browser to install the app on an account.
             * @example https://github.com/apps/my-platform/installations/new?state=…
             */
            readonly install_url: string;
        };
        readonly GithubView: {
            /** @description True when this service has a GitHub App. */
            readonly configured: boolean;
            /** @description The accounts that the organization of the call has connected. */
            readonly installations: readonly components["schemas"]["GithubInstallationView"][];
        };
        readonly GrantCreditsBody: {
            /**
             * @description Amount in USD, as a decimal.
             * @example 25
             */
            readonly amountUsd: string;
            /**
             * @description The meters that the credits can pay for. Without it they pay for all.
             * @example [
             *       "sandbox_compute"
             *     ]
             */
            readonly appliesTo?: readonly ("ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage")[];
            /**
             * Format: date-time
             * @description When the credits expire. Without it they never do.
             * @example 2035-01-31T00:00:00Z
             */
            readonly expiresAt?: string;
            /**
             * @description An idempotency key: the credits are granted once for each key.
             * @example ticket-4711
             */
            readonly key: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly orgId: string;
            /**
             * @description Grants with the lowest priority are used first. Credits of the Free plan have 100.
             * @default 50
             * @example 50
             */
            readonly priority: number;
            /**
             * @description The reason, shown in the audit log of the organization.
             * @example Welcome credits
             */
            readonly reason: string;
        };
        readonly GrantedCreditsView: {
            /** @example 25 */
            readonly amountUsd: string;
            /** @description `false` when the key was used before. */
            readonly created: boolean;
            /** @example crg_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly orgId: string;
            /** @example 25 */
            readonly remainingUsd: string;
        };
        readonly GrantView: {
            /**
             * @description Granted amount in USD, as a decimal.
             * @example 5
             */
            readonly amount: string;
            /** @description The meters that the credits can pay for. Absent if they pay for all. */
            readonly applies_to?: readonly ("ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage")[];
            /**
             * Format: date-time
             * @description When the credits expire. Absent if they never do.
             */
            readonly expires_at?: string;
            /** @example crg_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @description Grants with the lowest priority are used first, then those that expire first, then the oldest. */
            readonly priority: number;
            /**
             * @description What is left in USD, including what is held.
             * @example 4.123456789
             */
            readonly remaining: string;
        };
        readonly HealthView: {
            /** @enum {string} */
            readonly status: "ok";
        };
        readonly HomeOrganizationView: {
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example ada */
            readonly name: string;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /** @example ada */
            readonly slug: string;
        };
        readonly IndexAnswer: {
            readonly data: components["schemas"]["IndexView"];
            readonly meta: components["schemas"]["IndexMeta"];
        };
        readonly IndexMeta: {
            readonly request_id: string;
        };
        readonly IndexView: {
            readonly docs_url: string;
            readonly name: string;
            readonly openapi_url: string;
            readonly version: string;
        };
        readonly IntakeView: {
            readonly created: number;
            /** @description The number of resolutions without a task, and of faults whose resolution arrived first. */
            readonly ignored: number;
            readonly received: number;
            readonly rejected: readonly components["schemas"]["RejectedView"][];
            readonly resolved: number;
            readonly tasks: readonly components["schemas"]["TouchedTaskView"][];
            /** @description The number of existing tasks that were updated. */
            readonly updated: number;
        };
        readonly InvitationAnswer: {
            readonly data: components["schemas"]["InvitationView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly InvitationPageAnswer: {
            readonly data: readonly components["schemas"]["InvitationView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly InvitationView: {
            /** Format: date-time */
            readonly created_at: string;
            /** @example grace@example.org */
            readonly email: string;
            /** Format: date-time */
            readonly expires_at: string;
            /** @example inv_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description Id of the member who sent the invitation.
             * @example usr_01jd3m8yeqf5rb0xkq5ym8s6tn
             */
            readonly invited_by: string;
            /** @enum {string} */
            readonly role: "owner" | "admin" | "member" | "viewer";
        };
        readonly InviteBody: {
            /**
             * Format: email
             * @example grace@example.org
             */
            readonly email: string;
            /**
             * @example member
             * @enum {string}
             */
            readonly role: "owner" | "admin" | "member" | "viewer";
        };
        readonly InvoiceAnswer: {
            readonly data: components["schemas"]["InvoiceView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly InvoiceLineView: {
            /**
             * @description Amount in USD, to the nano-dollar. All lines add up to the total.
             * @example 0.000123456
             */
            readonly amount: string;
            /** @enum {string} */
            readonly kind: "base_fee" | "usage" | "adjustment" | "credits" | "not_charged" | "rounding";
            /**
             * @description The meter of usage. The next six properties belong to usage too.
             * @enum {string}
             */
            readonly meter?: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            readonly model?: string;
            readonly period: components["schemas"]["InvoicePeriodView"];
            /**
             * @description The plan of a base fee.
             * @enum {string}
             */
            readonly plan?: "free" | "builder" | "pro" | "enterprise";
            /** @example 0.1 */
            readonly price?: string;
            /**
             * @description The quantity that `price` is for.
             * @example hour
             */
            readonly price_per?: string;
            /** @description Id of the version of the price. */
            readonly price_version?: string;
            /** @description Quantity in whole units; seconds for a base fee. */
            readonly quantity?: string;
            /** @enum {string} */
            readonly unit?: "tokens" | "ms" | "byte_hours" | "s";
        };
        readonly InvoicePageAnswer: {
            readonly data: readonly components["schemas"]["ListedInvoiceView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly InvoicePeriodView: {
            /** Format: date-time */
            readonly from: string;
            /**
             * Format: date-time
             * @description End of the period, exclusive.
             */
            readonly to: string;
        };
        readonly InvoiceStateView: {
            /**
             * @example [
             *       "CN-000003"
             *     ]
             */
            readonly creditNotes: readonly string[];
            /**
             * @description Amount still to be paid.
             * @example 38.80
             */
            readonly dueUsd: string;
            /** @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example INV-000042 */
            readonly number: string;
            readonly orgId: string;
            /** @enum {string} */
            readonly state: "gathering" | "draft" | "finalized" | "paid" | "overdue" | "void";
            /** @example 51.30 */
            readonly totalUsd: string;
        };
        readonly InvoiceView: {
            /**
             * @description Amount still to be paid, after credit notes.
             * @example 51.30
             */
            readonly amount_due: string;
            /** @description The organization with its name at that time. */
            readonly bill_to: components["schemas"]["BillToView"];
            readonly credit_notes: readonly components["schemas"]["CreditNoteView"][];
            /** @example USD */
            readonly currency: string;
            /** Format: date-time */
            readonly due_at: string;
            /** Format: date-time */
            readonly finalized_at: string;
            /** @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description Lines about the issuer. Empty if the operator has not set any.
             * @example [
             *       "Example Hosting Ltd",
             *       "1 Example Street, London"
             *     ]
             */
            readonly issuer: readonly string[];
            readonly lines: readonly components["schemas"]["InvoiceLineView"][];
            /**
             * @description Invoice number. Numbers have no gaps.
             * @example INV-000042
             */
            readonly number: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** Format: date-time */
            readonly paid_at?: string;
            /** @description The billed month in UTC. */
            readonly period: components["schemas"]["InvoicePeriodView"];
            /** @enum {string} */
            readonly state: "finalized" | "paid" | "overdue" | "void";
            /**
             * @description Total in USD, in whole cents.
             * @example 51.30
             */
            readonly total: string;
            /** Format: date-time */
            readonly voided_at?: string;
        };
        readonly IssuedDeployHookAnswer: {
            readonly data: components["schemas"]["IssuedDeployHookView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly IssuedDeployHookView: {
            /** @example main */
            readonly branch: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @example dhk_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * Format: date-time
             * @description Absent until the hook is called.
             */
            readonly last_used_at?: string;
            /** @example Content changed */
            readonly name: string;
            /** @description True if the hook may deploy the production branch to production, because its creator may. Otherwise it only creates previews. */
            readonly production: boolean;
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly project_id: string;
            /**
             * @description Secret URL, which is returned only once. A POST to it deploys the branch.
             * @example https://api.example.com/webhooks/deploys/dhk_01jd3m8yeqf5rb0xkq5ym8s6tn/svc_hook_…
             */
            readonly url: string;
        };
        readonly IssuedWebhookEndpointAnswer: {
            readonly data: components["schemas"]["IssuedWebhookEndpointView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly IssuedWebhookEndpointView: {
            /** Format: date-time */
            readonly created_at: string;
            /** @example Chat of the team */
            readonly description: string;
            /**
             * Format: date-time
             * @description When the first attempt failed since the last success. Absent while it works.
             */
            readonly failing_since?: string;
            /** @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description `failing`: it accepted nothing for a day. `gone`: it answered 410.
             * @enum {string}
             */
            readonly pause_reason?: "asked" | "failing" | "gone";
            /**
             * @description Secret that messages are signed with. It is returned only once.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
             */
            readonly secret: string;
            /** @enum {string} */
            readonly state: "active" | "paused";
            /**
             * @description Types of events to send. Empty means all, later ones included.
             * @example [
             *       "deploy.ready",
             *       "deploy.error"
             *     ]
             */
            readonly types: readonly ("deploy.queued" | "deploy.initializing" | "deploy.building" | "deploy.deploying" | "deploy.ready" | "deploy.error" | "deploy.canceled" | "deploy.skipped" | "deploy.live" | "execution.finished" | "invoice.finalized" | "invoice.paid" | "invoice.overdue" | "invoice.voided" | "invoice.corrected" | "spend.warning" | "budget.warning" | "webhook_endpoint.paused")[];
            /** Format: date-time */
            readonly updated_at: string;
            /**
             * @description An https URL with the name of a public host. Redirects are not followed.
             * @example https://hooks.example.com/service
             */
            readonly url: string;
        };
        readonly KeyAnswer: {
            readonly data: components["schemas"]["KeyView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly KeyPageAnswer: {
            readonly data: readonly components["schemas"]["KeyView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly KeyView: {
            readonly allowed_ips?: readonly string[];
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at?: string;
            /** @example key_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @enum {string} */
            readonly kind: "personal" | "select_orgs" | "org_bound";
            /**
             * Format: date-time
             * @description Time of the last use, accurate to a few seconds.
             */
            readonly last_used_at?: string;
            readonly last_used_ip?: string;
            /** @example x7Qz */
            readonly last4: string;
            readonly name: string;
            /** @description Organization of an org-bound key. */
            readonly org_id?: string;
            /** @description Organizations of a select-orgs key. */
            readonly org_ids?: readonly string[];
            /** @example svc_pat_ */
            readonly prefix: string;
            /** Format: date-time */
            readonly revoked_at?: string;
            readonly scopes: readonly ("projects:read" | "projects:write" | "projects:delete" | "deploys:read" | "deploys:write" | "deploys:production" | "repositories:read" | "repositories:write" | "sandbox:execute" | "agents:read" | "agents:write" | "agents:run" | "ai:invoke" | "storage:read" | "storage:write" | "databases:read" | "databases:write" | "databases:admin" | "billing:read" | "billing:write" | "keys:read" | "keys:write" | "orgs:read" | "orgs:write" | "orgs:members" | "audit:read" | "projects:*" | "deploys:*" | "repositories:*" | "sandbox:*" | "agents:*" | "ai:*" | "storage:*" | "databases:*" | "billing:*" | "keys:*" | "orgs:*" | "audit:*" | "*")[];
            /** @enum {string} */
            readonly status: "active" | "expired" | "revoked";
            /** @description Owner of the key. */
            readonly user_id: string;
        };
        readonly LastDeployView: {
            /** @example main */
            readonly branch: string;
            /** @description First line of the commit message. */
            readonly commit_message?: string;
            /** @description Absent until the commit is known. */
            readonly commit_sha?: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Why it failed. */
            readonly error_code?: string;
            /**
             * Format: date-time
             * @description Absent while it is active.
             */
            readonly finished_at?: string;
            /** @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description State of the deploy, as in `GET /api/v1/deploys/{deploy_id}`.
             * @example ready
             */
            readonly state: string;
            /** @example production */
            readonly type: string;
        };
        readonly LastPushView: {
            /** Format: date-time */
            readonly at: string;
            /** @example main */
            readonly branch: string;
            readonly commit: components["schemas"]["BranchCommitView"];
        };
        readonly LeaseBody: {
            /**
             * @description Your name, which must be the same in all calls.
             * @example pager-bot
             */
            readonly agent: string;
            /**
             * @description The claim expires, and the task is open again, unless you renew it within this time.
             * @default 900
             * @example 900
             */
            readonly leaseSeconds: number;
        };
        readonly LimitsView: {
            readonly memory_bytes: number;
            /** @description Limit of standard output and of standard error, each. */
            readonly output_bytes: number;
            readonly timeout_ms: number;
        };
        readonly LimitUseView: {
            /** @description Absent if it is unlimited. */
            readonly allowed?: number;
            /** @enum {string} */
            readonly limit: "projects" | "repositories" | "bytes_in_deploys";
            readonly used: number;
        };
        readonly ListedExecutionView: {
            /**
             * @description Price of the wall time in USD, as a decimal, by whole milliseconds. Absent until the code has run.
             * @example 0.000000334
             */
            readonly cost?: string;
            readonly cpu_ms?: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Wall time of the run, in milliseconds. */
            readonly duration_ms?: number;
            /** @description Null when a signal ended the run. */
            readonly exit_code?: number | null;
            /** Format: date-time */
            readonly finished_at?: string;
            /** @example exe_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @enum {string} */
            readonly language: "typescript" | "javascript" | "python";
            /** @description Limits of the execution. */
            readonly limits: components["schemas"]["LimitsView"];
            readonly memory_peak_bytes?: number;
            /** @description Time in the queue, in milliseconds. */
            readonly queue_ms?: number;
            readonly runtime?: components["schemas"]["RuntimeView"];
            /** @example null */
            readonly signal?: string | null;
            /** Format: date-time */
            readonly started_at?: string;
            /**
             * @description `queued` and `running` are temporary; all others are final. `lost` means that the platform lost the run, and that it is unknown whether the code ran.
             * @enum {string}
             */
            readonly status: "queued" | "running" | "succeeded" | "failed" | "timed_out" | "out_of_memory" | "output_limit" | "cancelled" | "lost";
            readonly truncated?: components["schemas"]["TruncatedView"];
        };
        readonly ListedInvoiceView: {
            /** @example USD */
            readonly currency: string;
            /** Format: date-time */
            readonly due_at: string;
            /** Format: date-time */
            readonly finalized_at: string;
            /** @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description Invoice number. Numbers have no gaps.
             * @example INV-000042
             */
            readonly number: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** Format: date-time */
            readonly paid_at?: string;
            /** @description The billed month in UTC. */
            readonly period: components["schemas"]["InvoicePeriodView"];
            /** @enum {string} */
            readonly state: "finalized" | "paid" | "overdue" | "void";
            /**
             * @description Total in USD, in whole cents.
             * @example 51.30
             */
            readonly total: string;
            /** Format: date-time */
            readonly voided_at?: string;
        };
        readonly ListedProjectView: {
            readonly build_command?: string;
            /** @enum {string} */
            readonly build_network?: "registries" | "open";
            /** Format: date-time */
            readonly created_at: string;
            /** @enum {string} */
            readonly framework?: "django" | "nextjs" | "expo" | "nuxt" | "react-router" | "remix" | "sveltekit" | "solidstart" | "tanstack-start" | "astro" | "qwik" | "gatsby" | "docusaurus" | "vitepress" | "vuepress" | "hexo" | "eleventy" | "angular" | "nestjs" | "nitro" | "create-react-app" | "vue-cli" | "storybook" | "vite" | "parcel" | "rsbuild" | "flask" | "fastapi" | "hono" | "express" | "fastify" | "koa" | "h3" | "python" | "node" | "static" | "docker";
            readonly health_path?: string;
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly install_command?: string;
            /** @description Absent without a deploy, or without `deploys:read`. */
            readonly last_deploy?: components["schemas"]["LastDeployView"];
            /** @example Shop */
            readonly name: string;
            /** @enum {string} */
            readonly node_version?: "20" | "22" | "24";
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            readonly output_directory?: string;
            /** @example main */
            readonly production_branch: string;
            /** @description Absent while no repository is linked; the project cannot be deployed then. */
            readonly repo_url?: string;
            readonly root_directory?: string;
            /** @example shop */
            readonly slug: string;
            readonly start_command?: string;
            readonly start_timeout_ms?: number;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly MeAnswer: {
            readonly data: components["schemas"]["MeView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly MemberAnswer: {
            readonly data: components["schemas"]["MemberView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly MemberPageAnswer: {
            readonly data: readonly components["schemas"]["MemberView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly MembershipView: {
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example Ada */
            readonly name: string;
            /** @description True for the user's personal organization. */
            readonly personal: boolean;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /** @enum {string} */
            readonly role: "owner" | "admin" | "member" | "viewer";
            /** @example ada */
            readonly slug: string;
        };
        readonly MemberUserView: {
            /** @example usr_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example ada */
            readonly username: string;
        };
        readonly MemberView: {
            /** Format: date-time */
            readonly joined_at: string;
            /** @enum {string} */
            readonly role: "owner" | "admin" | "member" | "viewer";
            readonly user: components["schemas"]["MemberUserView"];
        };
        readonly MetaView: {
            readonly request_id: string;
        };
        readonly MeView: {
            readonly credential: components["schemas"]["CredentialView"];
            /** @description Organization of this call: the one in `x-service-org`, or the default one of the credential. */
            readonly organization: components["schemas"]["MembershipView"];
            /** @description Organizations that the credential has access to. */
            readonly organizations: readonly components["schemas"]["MembershipView"][];
            /** @description Scopes of the caller in the organization of this call. */
            readonly scopes: readonly ("projects:read" | "projects:write" | "projects:delete" | "deploys:read" | "deploys:write" | "deploys:production" | "repositories:read" | "repositories:write" | "sandbox:execute" | "agents:read" | "agents:write" | "agents:run" | "ai:invoke" | "storage:read" | "storage:write" | "databases:read" | "databases:write" | "databases:admin" | "billing:read" | "billing:write" | "keys:read" | "keys:write" | "orgs:read" | "orgs:write" | "orgs:members" | "audit:read")[];
            readonly user: components["schemas"]["CallingUserView"];
        };
        readonly MintedKeyAnswer: {
            readonly data: components["schemas"]["MintedKeyView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly MintedKeyView: {
            readonly allowed_ips?: readonly string[];
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at?: string;
            /** @example key_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @enum {string} */
            readonly kind: "personal" | "select_orgs" | "org_bound";
            /**
             * Format: date-time
             * @description Time of the last use, accurate to a few seconds.
             */
            readonly last_used_at?: string;
            readonly last_used_ip?: string;
            /** @example x7Qz */
            readonly last4: string;
            readonly name: string;
            /** @description Organization of an org-bound key. */
            readonly org_id?: string;
            /** @description Organizations of a select-orgs key. */
            readonly org_ids?: readonly string[];
            /** @example svc_pat_ */
            readonly prefix: string;
            /** Format: date-time */
            readonly revoked_at?: string;
            readonly scopes: readonly ("projects:read" | "projects:write" | "projects:delete" | "deploys:read" | "deploys:write" | "deploys:production" | "repositories:read" | "repositories:write" | "sandbox:execute" | "agents:read" | "agents:write" | "agents:run" | "ai:invoke" | "storage:read" | "storage:write" | "databases:read" | "databases:write" | "databases:admin" | "billing:read" | "billing:write" | "keys:read" | "keys:write" | "orgs:read" | "orgs:write" | "orgs:members" | "audit:read" | "projects:*" | "deploys:*" | "repositories:*" | "sandbox:*" | "agents:*" | "ai:*" | "storage:*" | "databases:*" | "billing:*" | "keys:*" | "orgs:*" | "audit:*" | "*")[];
            /**
             * @description The key itself, which is returned only once.
             * @example svc_pat_…
             */
            readonly secret: string;
            /** @enum {string} */
            readonly status: "active" | "expired" | "revoked";
            /** @description Owner of the key. */
            readonly user_id: string;
        };
        readonly MissingContentAnswer: {
            readonly data: components["schemas"]["MissingContentView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly MissingContentView: {
            /** @description SHA-256 of each content that is still missing. */
            readonly missing: readonly string[];
        };
        readonly MonthForecastView: {
            /** @description Cost of the month so far in USD. */
            readonly cost: string;
            /** @description Cost at the end of the month, at the rate of the last 24 hours. */
            readonly projected_cost: string;
        };
        readonly NoteBody: {
            /**
             * @description Your name, which must be the same in all calls.
             * @example pager-bot
             */
            readonly agent: string;
            /** @example The logs of the proxy take 80 % of the disk. */
            readonly text: string;
        };
        readonly NumberSettingView: {
            /**
             * @description set: by the project. file: by a file of the repository. detected: by the build. default: of the service. unknown: there is no build yet that says it.
             * @enum {string}
             */
            readonly source: "set" | "file" | "detected" | "default" | "unknown";
            /** @description `null` for nothing, or if unknown. */
            readonly value: number | null;
        };
        readonly OrganizationAccountView: {
            /** Format: date-time */
            readonly createdAt: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @description The latest invoices, newest first. */
            readonly invoices: readonly components["schemas"]["DatedInvoiceStateView"][];
            readonly limits: readonly components["schemas"]["LimitUseView"][];
            /** @description The number of members, with the owners. */
            readonly members: number;
            /** @example Acme */
            readonly name: string;
            /**
             * @description The plan that begins with the next month.
             * @enum {string}
             */
            readonly nextPlan?: "free" | "builder" | "pro" | "enterprise";
            /**
             * @description The usernames of the owners.
             * @example [
             *       "ada"
             *     ]
             */
            readonly owners: readonly string[];
            /** @description True for the personal organization of a user. */
            readonly personal: boolean;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /** @example 49 */
            readonly priceUsdPerMonth: string;
            /**
             * @description The plan that waits for approval.
             * @enum {string}
             */
            readonly requestedPlan?: "free" | "builder" | "pro" | "enterprise";
            /** @example acme */
            readonly slug: string;
            /**
             * @description The invoice of this month so far.
             * @example 51.30
             */
            readonly upcomingUsd: string;
        };
        readonly OrganizationsView: {
            /** @description The `cursor` of the next page; absent on the last page. */
            readonly nextCursor?: string;
            readonly organizations: readonly components["schemas"]["RegisteredOrganizationView"][];
        };
        readonly OrgAnswer: {
            readonly data: components["schemas"]["OrgView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly OrgExecutionAnswer: {
            readonly data: components["schemas"]["OrgExecutionView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly OrgExecutionRequest: {
            /**
             * @description The program, at most 128 KiB of UTF-8.
             * @example print(1 + 2)
             */
            readonly code: string;
            /** @description Files that the program can import or read, at most 256 KiB of UTF-8 in total. */
            readonly files?: readonly components["schemas"]["FileBody"][];
            /**
             * @example python
             * @enum {string}
             */
            readonly language: "typescript" | "javascript" | "python";
            /**
             * @description Memory limit, up to the maximum of the organization's plan. Default: 256. Any other value needs a new sandbox, which takes about 30 ms longer to start.
             * @example 256
             */
            readonly memory_mib?: number;
            /**
             * @description Longest time that the execution may wait in the queue. If you wait for the result, set it to your own time-out minus `timeout_ms`. Default: 28 seconds, or 5 minutes with `wait: false`. If the wait would be longer, the answer is 503 with `Retry-After`.
             * @example 20000
             */
            readonly queue_timeout_ms?: number;
            /**
             * @description Standard input of the program, at most 128 KiB of UTF-8.
             * @example Ada
             */
            readonly stdin?: string;
            /**
             * @description Limit of wall and CPU time, up to the maximum of the organization's plan. Default: 30 seconds.
             * @example 5000
             */
            readonly timeout_ms?: number;
            /**
             * @description Set to false to get a 202 answer at once. Read the result from the execution when the code has run.
             * @default true
             * @example true
             */
            readonly wait: boolean;
        };
        readonly OrgExecutionView: {
            /**
             * @description Price of the wall time in USD, as a decimal, by whole milliseconds. Absent until the code has run.
             * @example 0.000000334
             */
            readonly cost?: string;
            readonly cpu_ms?: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Wall time of the run, in milliseconds. */
            readonly duration_ms?: number;
            readonly error?: components["schemas"]["ExecutionErrorView"];
            /** @description Null when a signal ended the run. */
            readonly exit_code?: number | null;
            /** Format: date-time */
            readonly finished_at?: string;
            /** @example exe_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @enum {string} */
            readonly language: "typescript" | "javascript" | "python";
            /** @description Limits of the execution. */
            readonly limits: components["schemas"]["LimitsView"];
            readonly memory_peak_bytes?: number;
            /** @description Time in the queue, in milliseconds. */
            readonly queue_ms?: number;
            readonly runtime?: components["schemas"]["RuntimeView"];
            /** @example null */
            readonly signal?: string | null;
            /** Format: date-time */
            readonly started_at?: string;
            /**
             * @description `queued` and `running` are temporary; all others are final. `lost` means that the platform lost the run, and that it is unknown whether the code ran.
             * @enum {string}
             */
            readonly status: "queued" | "running" | "succeeded" | "failed" | "timed_out" | "out_of_memory" | "output_limit" | "cancelled" | "lost";
            readonly stderr?: string;
            /** @description Absent until the code has run to its end. */
            readonly stdout?: string;
            readonly truncated?: components["schemas"]["TruncatedView"];
        };
        readonly OrgPageAnswer: {
            readonly data: readonly components["schemas"]["OrgView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly OrgView: {
            /** Format: date-time */
            readonly created_at: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example Acme */
            readonly name: string;
            /** @description True for the caller's personal organization. */
            readonly personal: boolean;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /**
             * @description Role of the caller.
             * @enum {string}
             */
            readonly role: "owner" | "admin" | "member" | "viewer";
            /** @example acme */
            readonly slug: string;
        };
        readonly OutputView: {
            readonly bytes: number;
            readonly files: number;
            /** @example nextjs */
            readonly framework: string;
            /** @enum {string} */
            readonly kind: "static" | "server";
            /**
             * @description Major version of Node. Absent if the build ran nothing.
             * @example 22
             */
            readonly node_version?: string;
        };
        readonly PageMeta: {
            /** @description Whether there are more items after this page. */
            readonly has_more: boolean;
            /** @description Pass it as `cursor` to get the next page; absent on the last. */
            readonly next_cursor?: string;
            readonly request_id: string;
        };
        readonly PaidBody: {
            /**
             * @description How it was paid, as shown to the organization.
             * @example Transfer of 3 December
             */
            readonly payment: string;
        };
        readonly PasswordChangedAnswer: {
            readonly data: components["schemas"]["PasswordChangedView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly PasswordChangedView: {
            /** @enum {boolean} */
            readonly changed: true;
        };
        readonly PasswordResetAnswer: {
            readonly data: components["schemas"]["PasswordResetView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly PasswordResetView: {
            /** @enum {boolean} */
            readonly reset: true;
            /**
             * @description Number of revoked API keys.
             * @example 0
             */
            readonly revoked_keys: number;
        };
        readonly PaymentPageAnswer: {
            readonly data: components["schemas"]["PaymentPageView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly PaymentPageView: {
            /** @description URL of the payment page. Open it soon, and only once. Absent in a dry run. */
            readonly url?: string;
        };
        readonly PendingChangeView: {
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /** Format: date-time */
            readonly requested_at: string;
        };
        readonly PeriodView: {
            /** Format: date-time */
            readonly from: string;
            /**
             * Format: date-time
             * @description End of the period, exclusive.
             */
            readonly to: string;
        };
        readonly PlanAppsView: {
            /**
             * @description CPU limit of each server, in percent of one processor.
             * @example 200
             */
            readonly cpu_max_percent: number;
            /**
             * @description Relative CPU share of each server under contention.
             * @example 100
             */
            readonly cpu_weight: number;
            /**
             * @description Memory of each server in MiB.
             * @example 512
             */
            readonly memory_mib: number;
            /**
             * @description Servers of deploys that can run on one machine at once, including sleeping ones.
             * @example 8
             */
            readonly servers: number;
        };
        readonly PlanFeaturesView: {
            /** @description Builds that reach every public address instead of package registries only. */
            readonly open_build_network: boolean;
            readonly production_deploys: boolean;
            readonly sso: boolean;
            readonly swarms_and_cron: boolean;
            readonly wildcard_domains: boolean;
        };
        readonly PlanLimitsView: {
            /** @description `null` if unlimited. */
            readonly agents: number | null;
            /** @description `null` if unlimited. */
            readonly calls_per_day: number | null;
            /** @description Storage for the files of all deploys of an organization, in MiB. */
            readonly deploys_stored_mib: number;
            /** @description `null` if unlimited. */
            readonly projects: number | null;
        };
        readonly PlannedChangeView: {
            /** Format: date-time */
            readonly at: string;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
        };
        readonly PlanRefusedView: {
            readonly orgId: string;
            /**
             * @description The plan that was requested.
             * @enum {string}
             */
            readonly refused: "free" | "builder" | "pro" | "enterprise";
        };
        readonly PlansAnswer: {
            readonly data: readonly components["schemas"]["PlanView"][];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly PlanView: {
            readonly apps: components["schemas"]["PlanAppsView"];
            /** @description `true` if usage beyond the credits is billed. Otherwise it stops when they are used up. */
            readonly bills_usage: boolean;
            readonly features: components["schemas"]["PlanFeaturesView"];
            /** @enum {string} */
            readonly id: "free" | "builder" | "pro" | "enterprise";
            /**
             * @description Credits in USD that each person gets once, for all metered usage.
             * @example 5
             */
            readonly included_credits_usd: string;
            readonly limits: components["schemas"]["PlanLimitsView"];
            /** @example Builder */
            readonly name: string;
            /**
             * @description Price in USD, as a decimal. `null` if by contract.
             * @example 49
             */
            readonly price_usd_per_month: string | null;
            /** @enum {string} */
            readonly support: "community" | "email" | "priority" | "dedicated";
        };
        readonly PricesAnswer: {
            readonly data: readonly components["schemas"]["PriceView"][];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly PriceView: {
            /**
             * @description Id of this version of the price, shown on invoices.
             * @example sandbox-compute-1
             */
            readonly id: string;
            /** @enum {string} */
            readonly meter: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            /** @example anthropic/claude-sonnet:output */
            readonly model?: string;
            /**
             * @description The quantity that the price is for.
             * @example hour
             */
            readonly per: string;
            /**
             * @description Price in USD, as a decimal.
             * @example 0.1
             */
            readonly price_usd: string;
            /**
             * Format: date-time
             * @description When this price took effect.
             */
            readonly since: string;
        };
        readonly ProjectAnswer: {
            readonly data: components["schemas"]["ProjectView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly ProjectPageAnswer: {
            readonly data: readonly components["schemas"]["ListedProjectView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly ProjectSettingsAnswer: {
            readonly data: components["schemas"]["ProjectSettingsView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly ProjectSettingsView: {
            /**
             * @description The deploy whose build says what the project does not set. Absent before the first ready deploy.
             * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
             */
            readonly deploy_id?: string;
            readonly settings: components["schemas"]["SettingsView"];
        };
        readonly ProjectView: {
            readonly build_command?: string;
            /** @enum {string} */
            readonly build_network?: "registries" | "open";
            /** Format: date-time */
            readonly created_at: string;
            /** @enum {string} */
            readonly framework?: "django" | "nextjs" | "expo" | "nuxt" | "react-router" | "remix" | "sveltekit" | "solidstart" | "tanstack-start" | "astro" | "qwik" | "gatsby" | "docusaurus" | "vitepress" | "vuepress" | "hexo" | "eleventy" | "angular" | "nestjs" | "nitro" | "create-react-app" | "vue-cli" | "storybook" | "vite" | "parcel" | "rsbuild" | "flask" | "fastapi" | "hono" | "express" | "fastify" | "koa" | "h3" | "python" | "node" | "static" | "docker";
            readonly health_path?: string;
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly install_command?: string;
            /** @example Shop */
            readonly name: string;
            /** @enum {string} */
            readonly node_version?: "20" | "22" | "24";
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            readonly output_directory?: string;
            /** @example main */
            readonly production_branch: string;
            /** @description Absent while no repository is linked; the project cannot be deployed then. */
            readonly repo_url?: string;
            readonly root_directory?: string;
            /** @example shop */
            readonly slug: string;
            readonly start_command?: string;
            readonly start_timeout_ms?: number;
            /** Format: date-time */
            readonly updated_at: string;
        };
        readonly ProtectionAnswer: {
            readonly data: components["schemas"]["ProtectionView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly ProtectionView: {
            /** @description True if a password is set. It is never returned. */
            readonly has_password: boolean;
            /** @enum {string} */
            readonly previews: "none" | "members" | "password";
            /** @enum {string} */
            readonly production: "none" | "members" | "password";
            /**
             * Format: date-time
             * @description Absent until the protection is changed.
             */
            readonly updated_at?: string;
        };
        readonly ReadinessView: {
            /** @description All parts. */
            readonly details: {
                readonly [key: string]: {
                    readonly status: string;
                };
            };
            /** @description The parts that are down. */
            readonly error?: {
                readonly [key: string]: {
                    readonly status: string;
                };
            };
            /** @description The parts that are up or degraded. */
            readonly info?: {
                readonly [key: string]: {
                    readonly status: string;
                };
            };
            /** @enum {string} */
            readonly status: "ok" | "degraded" | "error" | "shutting_down";
        };
        readonly RecentErrorsView: {
            /** @description Jobs that failed for good, at most 50 of the last 30 days. */
            readonly jobs: readonly components["schemas"]["FailedJobView"][];
            /** @description Requests answered with 5xx, at most 100 of the last 7 days. */
            readonly requests: readonly components["schemas"]["RecentErrorView"][];
        };
        readonly RecentErrorView: {
            /** Format: date-time */
            readonly at: string;
            /** @example internal_error */
            readonly code: string;
            /** @example POST */
            readonly method: string;
            /**
             * @description The class of the error.
             * @example TypeError
             */
            readonly name: string;
            /** @description The log has the error under this id. */
            readonly requestId: string;
            /** @example /api/v1/projects/:project_id */
            readonly route: string;
            /** @example 500 */
            readonly status: number;
        };
        readonly RefusedEventView: {
            /** @enum {string} */
            readonly code: "invalid_event" | "organization_not_found" | "project_not_found" | "price_not_found" | "not_yet";
            readonly field?: string;
            /** @description Index in `events`, from 0. */
            readonly index: number;
            readonly message: string;
        };
        readonly RefusePlanBody: {
            /**
             * @description The reason, shown in the audit log of the organization.
             * @example The billing address is missing
             */
            readonly reason: string;
        };
        readonly RegisteredOrganizationView: {
            /** Format: date-time */
            readonly createdAt: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example Acme */
            readonly name: string;
            /** @description True for the personal organization of a user. */
            readonly personal: boolean;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /** @example acme */
            readonly slug: string;
        };
        readonly RejectedView: {
            /** @enum {string} */
            readonly code: "not_an_object" | "invalid_status" | "invalid_time" | "no_labels";
            /** @description The position of the alert in the body, from 0. */
            readonly index: number;
        };
        readonly ReleaseBody: {
            /**
             * @description Your name, which must be the same in all calls.
             * @example pager-bot
             */
            readonly agent: string;
        };
        readonly ReportedUsageAnswer: {
            readonly data: components["schemas"]["ReportedUsageView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly ReportedUsageView: {
            /** @description Number of events recorded now. */
            readonly accepted: number;
            /** @description Number of events recorded before, which are not counted again. */
            readonly duplicates: number;
            /** @description Events that were not recorded. All others were. */
            readonly rejected: readonly components["schemas"]["RefusedEventView"][];
        };
        readonly ReportUsageBody: {
            readonly events: readonly components["schemas"]["UsageEventBody"][];
        };
        readonly RepositoryAnswer: {
            readonly data: components["schemas"]["RepositoryView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly RepositoryPageAnswer: {
            readonly data: readonly components["schemas"]["RepositoryView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly RepositoryView: {
            /** Format: date-time */
            readonly created_at: string;
            /** @example main */
            readonly default_branch: string;
            /** @example repo_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @description The branch that was pushed last, of those that still exist. Absent before the first push. */
            readonly last_push?: components["schemas"]["LastPushView"];
            /** @example shop */
            readonly name: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** @enum {string} */
            readonly provider: "service" | "github";
            /**
             * @description The URL for clones and for projects. Git uses an API key as the password, or the credentials of GitHub.
             * @example http://127.0.0.1:3000/git/acme/shop.git
             */
            readonly repo_url: string;
            /** @description The size on disk after the last push. Absent at GitHub, and in the answer to the creation. */
            readonly size_bytes?: number;
            /** @enum {string} */
            readonly template?: "nextjs" | "expo";
        };
        readonly ResetPasswordBody: {
            /**
             * Format: password
             * @description Must not be common, and must not contain the username or the email address.
             * @example violet-harbor-lantern-42
             */
            readonly password: string;
            /**
             * @description Also revokes every API key of the account. Send true if another person may have had access.
             * @default false
             * @example true
             */
            readonly revoke_keys: boolean;
            /**
             * @description Token from the message.
             * @example svc_mail_…
             */
            readonly token: string;
        };
        readonly ResolveBody: {
            /**
             * @description Your name, which must be the same in all calls.
             * @example pager-bot
             */
            readonly agent: string;
            /**
             * @description The cause, and the fix.
             * @example The disk was full of old logs. They are rotated daily now.
             */
            readonly resolution: string;
        };
        readonly RollBackBody: {
            /**
             * @description A ready deploy of the project. Defaults to the deploy that was live before the current one.
             * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
             */
            readonly deploy_id?: string;
        };
        readonly RotatedSessionAnswer: {
            readonly data: components["schemas"]["RotatedSessionView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly RotatedSessionView: {
            /** Format: date-time */
            readonly expires_at: string;
            /**
             * @description New token, which is returned only once.
             * @example svc_sess_…
             */
            readonly session_token: string;
        };
        readonly RotateKeyBody: {
            /**
             * @description How long the old secret still works. It never works longer than the key.
             * @default 0
             * @example 3600
             */
            readonly grace_seconds: number;
        };
        readonly RotateWebhookSecretBody: {
            /**
             * @description How long messages are signed with the old secret as well.
             * @default 86400
             * @example 3600
             */
            readonly grace_seconds: number;
        };
        readonly RuntimeLogLineView: {
            /** @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly deploy_id: string;
            /**
             * @description The `level` or `severity` of a JSON line; otherwise info for stdout and error for stderr. system: written by the platform.
             * @enum {string}
             */
            readonly level: "debug" | "info" | "warn" | "error" | "system";
            /** @description Increases with each line, with gaps. */
            readonly seq: number;
            /** @enum {string} */
            readonly stream: "stdout" | "stderr" | "system";
            /** @description One line, with the values of secrets masked. */
            readonly text: string;
            /** Format: date-time */
            readonly time: string;
        };
        readonly RuntimeView: {
            /** @example python */
            readonly name: string;
            /** @example 3.11.2 */
            readonly version: string;
        };
        readonly SandboxCallsView: {
            /**
             * @description Null when calls are unlimited.
             * @example 10000
             */
            readonly limit: number | null;
            /** @example 9990 */
            readonly remaining: number | null;
            /** Format: date-time */
            readonly resets_at: string;
        };
        readonly SandboxLimitsAnswer: {
            readonly data: components["schemas"]["SandboxLimitsView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly SandboxLimitsView: {
            /** @description API calls of the organization today. */
            readonly calls: components["schemas"]["SandboxCallsView"];
            /**
             * @description Executions at once, queued ones included.
             * @example 8
             */
            readonly concurrency: number;
            readonly memory_mib: components["schemas"]["SandboxMemoryView"];
            /** @description Limit of standard output and of standard error, each. */
            readonly output_bytes: number;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            readonly timeout_ms: components["schemas"]["SandboxTimeoutView"];
        };
        readonly SandboxMemoryView: {
            /**
             * @description For executions that name none.
             * @example 256
             */
            readonly default: number;
            /** @example 512 */
            readonly max: number;
            /** @example 64 */
            readonly min: number;
        };
        readonly SandboxTimeoutView: {
            /**
             * @description For executions that name none.
             * @example 30000
             */
            readonly default: number;
            /** @example 60000 */
            readonly max: number;
        };
        readonly SentAnswer: {
            readonly data: components["schemas"]["SentView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly SentView: {
            /** @enum {boolean} */
            readonly sent: true;
        };
        readonly SessionPageAnswer: {
            readonly data: readonly components["schemas"]["SessionView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly SessionView: {
            /** Format: date-time */
            readonly created_at: string;
            /** @description True for the session of this call. */
            readonly current: boolean;
            /** Format: date-time */
            readonly expires_at: string;
            /** @example ses_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description IP address that signed in.
             * @example 203.0.113.7
             */
            readonly ip: string;
            /**
             * Format: date-time
             * @description Time of the last use, accurate to a minute.
             */
            readonly last_used_at: string;
            /** @description User agent that signed in. */
            readonly user_agent?: string;
        };
        readonly SetBudgetBody: {
            /**
             * @description Limit in USD, as a decimal. `"0"` refuses all work that costs.
             * @example 25
             */
            readonly limit: string;
            /**
             * @description When it is reset: each day or calendar month (UTC), or never (`total`).
             * @example month
             * @enum {string}
             */
            readonly window: "day" | "month" | "total";
        };
        readonly SetEnvBody: {
            /** @description A target can have up to 200 variables, and 1 MiB of names and values. */
            readonly variables: readonly components["schemas"]["EnvVariableBody"][];
        };
        readonly SetPlanBody: {
            /**
             * @example enterprise
             * @enum {string}
             */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /**
             * @description Monthly price in USD, as a decimal. Default: the list price. Required for Enterprise.
             * @example 1200
             */
            readonly priceUsdPerMonth?: string;
            /**
             * @description The reason, shown in the audit log of the organization.
             * @example Contract of 1 December
             */
            readonly reason: string;
        };
        readonly SetPlanView: {
            readonly orgId: string;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /** @example 1200 */
            readonly priceUsdPerMonth: string;
            /**
             * Format: date-time
             * @description When billing of the plan begins.
             */
            readonly since: string;
        };
        readonly SettingsView: {
            readonly build_command: components["schemas"]["TextSettingView"];
            readonly build_network: components["schemas"]["TextSettingView"];
            readonly framework: components["schemas"]["TextSettingView"];
            readonly health_path: components["schemas"]["TextSettingView"];
            readonly install_command: components["schemas"]["TextSettingView"];
            readonly node_version: components["schemas"]["TextSettingView"];
            readonly output_directory: components["schemas"]["TextSettingView"];
            readonly root_directory: components["schemas"]["TextSettingView"];
            readonly start_command: components["schemas"]["TextSettingView"];
            readonly start_timeout_ms: components["schemas"]["NumberSettingView"];
        };
        readonly SignedInAnswer: {
            readonly data: components["schemas"]["SignedInView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly SignedInView: {
            /** @description The user's personal organization. */
            readonly organization: components["schemas"]["HomeOrganizationView"];
            /**
             * @description Token of the session, which is returned only once. Use it to create API keys. It is absent with `x-service-session: cookie`.
             * @example svc_sess_…
             */
            readonly session_token?: string;
            readonly user: components["schemas"]["UserView"];
        };
        readonly SignInBody: {
            /**
             * @description Username or email address.
             * @example ada
             */
            readonly login: string;
            /**
             * Format: password
             * @example violet-harbor-lantern-42
             */
            readonly password: string;
        };
        readonly SignUpBody: {
            /**
             * Format: email
             * @example ada@example.org
             */
            readonly email: string;
            /**
             * Format: password
             * @description Must not be common, and must not contain the username or the email address.
             * @example violet-harbor-lantern-42
             */
            readonly password: string;
            /**
             * @description Also the slug of the personal organization. Converted to lower case.
             * @example ada
             */
            readonly username: string;
        };
        readonly SilenceBody: {
            /**
             * @description Your name, which must be the same in all calls.
             * @example pager-bot
             */
            readonly agent: string;
            /** @example 3600 */
            readonly seconds: number;
        };
        readonly SpendCapAnswer: {
            readonly data: components["schemas"]["SpendCapView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly SpendCapBody: {
            /**
             * @description Cap in USD for a calendar month (UTC), as a decimal. `"0"` allows only credits; `null` removes the cap.
             * @example 100
             */
            readonly amount: string | null;
        };
        readonly SpendCapView: {
            /**
             * @description Cap in USD for a calendar month (UTC). `null` if there is none.
             * @example 100
             */
            readonly amount: string | null;
            /**
             * @description Usage of this month beyond the credits in USD, including what is held for running work.
             * @example 12.5
             */
            readonly billed: string;
            /**
             * @description The month, in UTC.
             * @example 2026-11
             */
            readonly month: string;
        };
        readonly StorageView: {
            /**
             * @description Bytes that the plan allows.
             * @example 1073741824
             */
            readonly limit_bytes: number;
            /**
             * @description Bytes stored by the files of all deploys.
             * @example 734003200
             */
            readonly used_bytes: number;
        };
        readonly SubscriptionAnswer: {
            readonly data: components["schemas"]["SubscriptionView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly SubscriptionView: {
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** @description A larger plan that waits for the approval of the operator, if any. */
            readonly pending_change?: components["schemas"]["PendingChangeView"];
            /** @description The current billing month in UTC. */
            readonly period: components["schemas"]["PeriodView"];
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /** @description The planned change, if any. */
            readonly planned_change?: components["schemas"]["PlannedChangeView"];
            /**
             * @description Price of a whole month of the plan before usage, in USD as a decimal.
             * @example 49
             */
            readonly price_usd_per_month: string;
            /** @description Storage used by deploys. */
            readonly storage: components["schemas"]["StorageView"];
        };
        readonly TaskEventView: {
            /** @description The agent, `alert`, or `sweep`. */
            readonly actor: string;
            /** Format: date-time */
            readonly at: string;
            readonly details: {
                readonly [key: string]: unknown;
            };
            /** @enum {string} */
            readonly kind: "opened" | "claimed" | "released" | "claim_expired" | "noted" | "silenced" | "resolved";
        };
        readonly TaskHistoryView: {
            readonly annotations: {
                readonly [key: string]: string;
            };
            readonly claimedBy?: string;
            /** Format: date-time */
            readonly claimExpiresAt?: string;
            /** Format: date-time */
            readonly createdAt: string;
            readonly dedupKey: string;
            readonly description?: string;
            /**
             * Format: date-time
             * @description When the fault ended.
             */
            readonly endsAt?: string;
            /** @description The history of the task, oldest first. */
            readonly events: readonly components["schemas"]["TaskEventView"][];
            /** @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly labels: {
                readonly [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When the fault was last reported.
             */
            readonly lastSeenAt: string;
            /** @description The number of reports. */
            readonly occurrences: number;
            readonly resolution?: string;
            /** Format: date-time */
            readonly resolvedAt?: string;
            /** @description The agent, or `alert`. */
            readonly resolvedBy?: string;
            /**
             * @description The tag of its runbook in GET /ops; `untagged` when there is none.
             * @example sandbox
             */
            readonly runbookTag: string;
            /** @enum {string} */
            readonly severity: "critical" | "warning" | "info";
            /** Format: date-time */
            readonly silencedUntil?: string;
            readonly source: string;
            /**
             * Format: date-time
             * @description When the fault began.
             */
            readonly startsAt: string;
            /** @enum {string} */
            readonly status: "open" | "claimed" | "resolved";
            readonly title: string;
            /** Format: date-time */
            readonly updatedAt: string;
            readonly url?: string;
        };
        readonly TasksView: {
            /** @description The `cursor` of the next page; absent on the last page. */
            readonly nextCursor?: string;
            readonly tasks: readonly components["schemas"]["TaskView"][];
        };
        readonly TaskView: {
            readonly annotations: {
                readonly [key: string]: string;
            };
            readonly claimedBy?: string;
            /** Format: date-time */
            readonly claimExpiresAt?: string;
            /** Format: date-time */
            readonly createdAt: string;
            readonly dedupKey: string;
            readonly description?: string;
            /**
             * Format: date-time
             * @description When the fault ended.
             */
            readonly endsAt?: string;
            /** @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly labels: {
                readonly [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When the fault was last reported.
             */
            readonly lastSeenAt: string;
            /** @description The number of reports. */
            readonly occurrences: number;
            readonly resolution?: string;
            /** Format: date-time */
            readonly resolvedAt?: string;
            /** @description The agent, or `alert`. */
            readonly resolvedBy?: string;
            /**
             * @description The tag of its runbook in GET /ops; `untagged` when there is none.
             * @example sandbox
             */
            readonly runbookTag: string;
            /** @enum {string} */
            readonly severity: "critical" | "warning" | "info";
            /** Format: date-time */
            readonly silencedUntil?: string;
            readonly source: string;
            /**
             * Format: date-time
             * @description When the fault began.
             */
            readonly startsAt: string;
            /** @enum {string} */
            readonly status: "open" | "claimed" | "resolved";
            readonly title: string;
            /** Format: date-time */
            readonly updatedAt: string;
            readonly url?: string;
        };
        readonly TemplatesAnswer: {
            readonly data: readonly components["schemas"]["TemplateView"][];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly TemplateView: {
            readonly description: string;
            /** @enum {string} */
            readonly id: "nextjs" | "expo";
            /** @example Next.js */
            readonly name: string;
        };
        readonly TextSettingView: {
            /**
             * @description set: by the project. file: by a file of the repository. detected: by the build. default: of the service. unknown: there is no build yet that says it.
             * @enum {string}
             */
            readonly source: "set" | "file" | "detected" | "default" | "unknown";
            /** @description `null` for nothing, or if unknown. */
            readonly value: string | null;
        };
        readonly ToggledView: {
            /** @example aud_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly auditId: string;
            readonly flag: components["schemas"]["FlagView"];
            readonly previous: boolean;
        };
        readonly ToggleFlagBody: {
            /** @example false */
            readonly enabled: boolean;
            /**
             * @description The version that you have read; the call is refused with 409 if it has changed.
             * @example 3
             */
            readonly expectedVersion?: number;
            /** @example sign_ups */
            readonly name: string;
            /**
             * @description The reason for the change, stored in its audit row.
             * @example Sign-ups are abused
             */
            readonly reason?: string;
        };
        readonly TokenBody: {
            /**
             * @description Token from the message.
             * @example svc_mail_…
             */
            readonly token: string;
        };
        readonly TopUsageView: {
            /**
             * @description Amount in USD, as a decimal.
             * @example 4.123456789
             */
            readonly cost: string;
            /** @enum {string} */
            readonly meter: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            readonly model?: string;
            readonly project_id?: string;
            /** @description Share of the cost of the last 24 hours, from 0 to 1. */
            readonly share: number;
        };
        readonly TouchedTaskView: {
            readonly created: boolean;
            readonly dedupKey: string;
            /** @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly runbookTag: string;
            /** @enum {string} */
            readonly status: "open" | "claimed" | "resolved";
        };
        readonly TruncatedView: {
            readonly stderr: boolean;
            readonly stdout: boolean;
        };
        readonly UpcomingInvoiceAnswer: {
            readonly data: components["schemas"]["UpcomingInvoiceView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly UpcomingInvoiceView: {
            /**
             * Format: date-time
             * @description Time of the preview. Later usage and changes are not included.
             */
            readonly as_of: string;
            /** @example USD */
            readonly currency: string;
            readonly lines: readonly components["schemas"]["InvoiceLineView"][];
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** @description The current month in UTC. */
            readonly period: components["schemas"]["InvoicePeriodView"];
            /**
             * @description Total in USD, in whole cents.
             * @example 51.30
             */
            readonly total: string;
        };
        readonly UpdateWebhookEndpointBody: {
            /** @example Chat of the team */
            readonly description?: string;
            /**
             * @description `paused` sends nothing, and gives up what waits. `active` starts with what happens from now on.
             * @example active
             * @enum {string}
             */
            readonly state?: "active" | "paused";
            /**
             * @description Types of events to send. Empty means all, later ones included.
             * @example [
             *       "deploy.ready",
             *       "deploy.error"
             *     ]
             */
            readonly types?: readonly ("deploy.queued" | "deploy.initializing" | "deploy.building" | "deploy.deploying" | "deploy.ready" | "deploy.error" | "deploy.canceled" | "deploy.skipped" | "deploy.live" | "execution.finished" | "invoice.finalized" | "invoice.paid" | "invoice.overdue" | "invoice.voided" | "invoice.corrected" | "spend.warning" | "budget.warning" | "webhook_endpoint.paused")[];
            /**
             * @description An https URL with the name of a public host. Redirects are not followed.
             * @example https://hooks.example.com/service
             */
            readonly url?: string;
        };
        readonly UploadAnswer: {
            readonly data: components["schemas"]["UploadView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly UploadFileBody: {
            /** @example 4 */
            readonly bytes: number;
            /**
             * @default false
             * @example false
             */
            readonly executable: boolean;
            /**
             * @description Path from the root of the upload, with / between its parts.
             * @example src/index.js
             */
            readonly path: string;
            /**
             * @description SHA-256 of the content.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            readonly sha256: string;
        };
        readonly UploadView: {
            /** @description Size of all files. */
            readonly bytes: number;
            /** Format: date-time */
            readonly created_at: string;
            /** @description Number of files. */
            readonly files: number;
            /** @example upl_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @description SHA-256 of each content that the project has not stored yet. */
            readonly missing: readonly string[];
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly project_id: string;
        };
        readonly UsageAnswer: {
            readonly data: readonly components["schemas"]["UsageView"][];
            readonly meta: components["schemas"]["UsageMeta"];
        };
        readonly UsageEventBody: {
            /**
             * @description The id of the event at its source. With `source` and `occurred_at` it identifies the event.
             * @example call-8812:input
             */
            readonly id: string;
            /**
             * @example ai_tokens
             * @enum {string}
             */
            readonly meter: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            /**
             * @description `<model>:<kind>`, where the kind is `input`, `output`, `cache_read`, `cache_write`. Required for `ai_tokens` only.
             * @example openai/gpt-mini:input
             */
            readonly model?: string;
            /**
             * Format: date-time
             * @example 2026-12-03T08:30:00Z
             */
            readonly occurred_at: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly project_id?: string;
            /**
             * @description Details for people who look into an invoice later.
             * @example {
             *       "region": "eu"
             *     }
             */
            readonly properties?: {
                readonly [key: string]: string;
            };
            /**
             * @description Tokens, milliseconds or byte-hours, as digits.
             * @example 1250
             */
            readonly quantity: string;
            /** @example model-router */
            readonly source: string;
        };
        readonly UsageMeta: {
            /**
             * @description Cost of all lines in USD.
             * @example 1.234567891
             */
            readonly cost: string;
            /** Format: date-time */
            readonly from: string;
            readonly request_id: string;
            /**
             * Format: date-time
             * @description End of the time range, exclusive.
             */
            readonly to: string;
        };
        readonly UsageView: {
            /**
             * @description Cost in USD, as a decimal.
             * @example 0.1
             */
            readonly cost: string;
            /** Format: date */
            readonly day?: string;
            /**
             * @description Rounded quantity for display.
             * @example 1 h
             */
            readonly display_quantity: string;
            /** @enum {string} */
            readonly meter: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            readonly model?: string;
            /** @description Absent for usage outside of projects. */
            readonly project_id?: string;
            /**
             * @description Quantity as digits.
             * @example 3600000
             */
            readonly quantity: string;
            /** @enum {string} */
            readonly unit: "tokens" | "ms" | "byte_hours";
        };
        readonly UserView: {
            /** @example ada@example.org */
            readonly email: string;
            readonly email_verified: boolean;
            /** @example usr_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @example ada */
            readonly username: string;
        };
        readonly VoidBody: {
            /**
             * @description The reason, shown on the credit note.
             * @example Billed twice
             */
            readonly reason: string;
        };
        readonly WebhookDeliveryAnswer: {
            readonly data: components["schemas"]["WebhookDeliveryView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly WebhookDeliveryPageAnswer: {
            readonly data: readonly components["schemas"]["WebhookDeliveryView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly WebhookDeliveryView: {
            readonly attempts: number;
            /** @description Body of the message. */
            readonly body: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly duration_ms?: number;
            /**
             * @description Why the last attempt failed: `bad_status`, `timed_out`, `connection_failed`, `unknown_host`, `private_address`, `refused_url` or `endpoint_paused`.
             * @example timed_out
             */
            readonly error?: string;
            /**
             * @description The `webhook-id` of the message.
             * @example evt_01jd3m8yeqf5rb0xkq5ym8s6tn
             */
            readonly event_id: string;
            /** @example whd_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** Format: date-time */
            readonly last_attempt_at?: string;
            /**
             * Format: date-time
             * @description Absent unless it is pending.
             */
            readonly next_attempt_at?: string;
            /** @description The delivery that this one repeats. */
            readonly replay_of?: string;
            /** @description Beginning of the last answer. */
            readonly response?: string;
            /** @enum {string} */
            readonly state: "pending" | "succeeded" | "failed";
            /** @description Status of the last answer. */
            readonly status?: number;
            /** @example deploy.ready */
            readonly type: string;
        };
        readonly WebhookEndpointAnswer: {
            readonly data: components["schemas"]["WebhookEndpointView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly WebhookEndpointPageAnswer: {
            readonly data: readonly components["schemas"]["WebhookEndpointView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly WebhookEndpointView: {
            /** Format: date-time */
            readonly created_at: string;
            /** @example Chat of the team */
            readonly description: string;
            /**
             * Format: date-time
             * @description When the first attempt failed since the last success. Absent while it works.
             */
            readonly failing_since?: string;
            /** @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description `failing`: it accepted nothing for a day. `gone`: it answered 410.
             * @enum {string}
             */
            readonly pause_reason?: "asked" | "failing" | "gone";
            /** @enum {string} */
            readonly state: "active" | "paused";
            /**
             * @description Types of events to send. Empty means all, later ones included.
             * @example [
             *       "deploy.ready",
             *       "deploy.error"
             *     ]
             */
            readonly types: readonly ("deploy.queued" | "deploy.initializing" | "deploy.building" | "deploy.deploying" | "deploy.ready" | "deploy.error" | "deploy.canceled" | "deploy.skipped" | "deploy.live" | "execution.finished" | "invoice.finalized" | "invoice.paid" | "invoice.overdue" | "invoice.voided" | "invoice.corrected" | "spend.warning" | "budget.warning" | "webhook_endpoint.paused")[];
            /** Format: date-time */
            readonly updated_at: string;
            /**
             * @description An https URL with the name of a public host. Redirects are not followed.
             * @example https://hooks.example.com/service
             */
            readonly url: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readonly DocsController_index: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IndexAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ExplainController_explain: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "method": "POST",
                 *       "path": "/api/v1/sandbox/executions",
                 *       "org": "acme"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ExplainBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExplanationAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly PasswordsController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "current_password": "violet-harbor-lantern-42",
                 *       "new_password": "violet-harbor-lantern-42"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangePasswordBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasswordChangedAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             *
             *     `invalid_credentials`: The username or the password is wrong.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             *
             *     `sign_in_limit_exceeded`: Too many sign-in attempts.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly PasswordsController_forgot: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "ada@example.org"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ForgotPasswordBody"];
            };
        };
        readonly responses: {
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SentAnswer"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly PasswordsController_reset: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "svc_mail_…",
                 *       "password": "violet-harbor-lantern-42",
                 *       "revoke_keys": true
                 *     }
                 */
                readonly "application/json": components["schemas"]["ResetPasswordBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PasswordResetAnswer"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             *
             *     `invalid_email_token`: The token from the email is wrong, used or expired.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SessionsController_rotate: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RotatedSessionAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SessionsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SessionPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SessionsController_end: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the session.
                 * @example ses_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly session_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `session_not_found`: Session not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly AuthController_signIn: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Identifies the session in the list of sessions. */
                readonly "user-agent"?: string;
                /** @description For pages of this service: the token is set as a cookie that scripts cannot read, and is not in the response. */
                readonly "x-service-session"?: "cookie";
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "login": "ada",
                 *       "password": "violet-harbor-lantern-42"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SignInBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SignedInAnswer"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_credentials`: The username or the password is wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `cross_site_request`: The session in a cookie was used from another site. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             *
             *     `sign_in_limit_exceeded`: Too many sign-in attempts.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly AuthController_signOut: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly AuthController_signUp: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /** @description Identifies the session in the list of sessions. */
                readonly "user-agent"?: string;
                /** @description For pages of this service: the token is set as a cookie that scripts cannot read, and is not in the response. */
                readonly "x-service-session"?: "cookie";
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "username": "ada",
                 *       "email": "ada@example.org",
                 *       "password": "violet-harbor-lantern-42"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SignUpBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SignedInAnswer"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `feature_disabled`: Disabled by the operator.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `username_taken`: The username is taken.
             *
             *     `email_taken`: The email address is taken.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly AuthController_verifyEmail: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "svc_mail_…"
                 *     }
                 */
                readonly "application/json": components["schemas"]["TokenBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EmailVerifiedAnswer"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             *
             *     `invalid_email_token`: The token from the email is wrong, used or expired.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly AuthController_resendVerification: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SentAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly BudgetsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BudgetPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly BudgetsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description What the budget limits.
                 * @example key:key_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly subject: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BudgetAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `budget_not_found`: Budget not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly BudgetsController_set: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description What the budget limits.
                 * @example key:key_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly subject: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "window": "month",
                 *       "limit": "25"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SetBudgetBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BudgetAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `api_key_not_found`: API key not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly BudgetsController_delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description What the budget limits.
                 * @example key:key_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly subject: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `budget_not_found`: Budget not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly PaymentsController_checkout: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "plan": "pro"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CheckoutBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `integration_not_configured`: This service is not connected to that provider.
             *
             *     `plan_by_contract`: The plan is available by contract only.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `upstream_error`: Another service failed to answer as expected. */
            readonly 502: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CreditsController_credits: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CreditsAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly UsageEventsController_report: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "events": [
                 *         {
                 *           "source": "model-router",
                 *           "id": "call-8812:input",
                 *           "org_id": "org_01jd3m8yeqf5rb0xkq5ym8s6tn",
                 *           "project_id": "prj_01jd3m8yeqf5rb0xkq5ym8s6tn",
                 *           "meter": "ai_tokens",
                 *           "model": "openai/gpt-mini:input",
                 *           "quantity": "1250",
                 *           "occurred_at": "2026-12-03T08:30:00Z",
                 *           "properties": {
                 *             "region": "eu"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["ReportUsageBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReportedUsageAnswer"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `feature_disabled`: Disabled by the operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ForecastController_show: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ForecastAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvoicesController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvoicePageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvoicesController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the invoice.
                 * @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly invoice_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvoiceAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invoice_not_found`: Invoice not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvoicesController_page: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the invoice.
                 * @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly invoice_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": string;
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invoice_not_found`: Invoice not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/html": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvoicesController_upcoming: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UpcomingInvoiceAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly PlansController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PlansAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly PaymentsController_portal: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PaymentPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `integration_not_configured`: This service is not connected to that provider.
             *
             *     `payment_method_required`: The organization has no payment method.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `upstream_error`: Another service failed to answer as expected. */
            readonly 502: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly PricesController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PricesAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CreditsController_spendCap: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SpendCapAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CreditsController_setSpendCap: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amount": "100"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SpendCapBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SpendCapAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SubscriptionsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SubscriptionAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SubscriptionsController_choose: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "plan": "builder"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChoosePlanBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SubscriptionAnswer"];
                };
            };
            /** @description The plan waits for the approval of the operator. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SubscriptionAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `plan_too_small`: The organization exceeds the limits of the plan.
             *
             *     `plan_by_contract`: The plan is available by contract only.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly UsageController_show: {
        readonly parameters: {
            readonly query?: {
                /** @description Start as a day or a time at a full hour. Default: the beginning of the month (UTC). */
                readonly from?: string;
                /** @description Comma-separated groups besides the meter: meter, model, project, day. */
                readonly group_by?: string;
                /** @description End, exclusive. Default: the end of the current hour. */
                readonly to?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UsageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeploysController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the deploy.
                 * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly deploy_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeployAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `deploy_not_found`: Deploy not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeploysController_delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the deploy.
                 * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly deploy_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `deploy_not_found`: Deploy not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `deploy_in_use`: The deploy is running or is the production deploy.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeploysController_cancel: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the deploy.
                 * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly deploy_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeployAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `deploy_not_found`: Deploy not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `deploy_already_over`: The deploy has already ended.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeploysController_events: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the deploy.
                 * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly deploy_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeployEventsAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `deploy_not_found`: Deploy not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeploysController_log: {
        readonly parameters: {
            readonly query?: {
                /** @description Only lines after this `seq`. The header `Last-Event-ID` takes precedence. */
                readonly after?: number;
                /** @description Waits for new lines until the deploy ends. `false` returns the lines that exist now. */
                readonly follow?: boolean;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the deploy.
                 * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly deploy_id: unknown;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Lines of the log. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": components["schemas"]["DeployLogLineView"];
                    readonly "text/event-stream": string;
                };
            };
            /** @description With `Accept: text/event-stream` and `Last-Event-ID`: the deploy has ended and there are no more lines. */
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `deploy_not_found`: Deploy not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeploysController_promote: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the deploy.
                 * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly deploy_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeployAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_not_in_plan`: The plan does not include this feature.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `deploy_not_found`: Deploy not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `deploy_not_ready`: The deploy is not ready or its files were removed.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProtectionController_createShareLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the deploy.
                 * @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly deploy_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "expires_in": 86400
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateShareLinkBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AccessLinkAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `deploy_not_found`: Deploy not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly GithubController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GithubAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly GithubController_finish: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "state": "ghs_01jd3m8yeqf5rb0xkq5ym8s6tn",
                 *       "code": "3584d83530557fdd1f46",
                 *       "installation_id": 48211093
                 *     }
                 */
                readonly "application/json": components["schemas"]["ConnectGithubBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GithubInstallationAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             *
             *     `invalid_link_state`: The link state is wrong, used, expired or belongs to another user.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `github_access_denied`: The user does not administer the GitHub account.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `integration_not_configured`: This service is not connected to that provider.
             *
             *     `already_exists`: The resource already exists.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `upstream_error`: Another service failed to answer as expected. */
            readonly 502: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly GithubController_disconnect: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the connection.
                 * @example ghi_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly installation_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `github_installation_not_found`: GitHub installation not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly GithubController_begin: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GithubLinkAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `integration_not_configured`: This service is not connected to that provider.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvitationsController_accept: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "token": "svc_mail_…"
                 *     }
                 */
                readonly "application/json": components["schemas"]["TokenBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             *
             *     `invalid_email_token`: The token from the email is wrong, used or expired.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly KeysController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly KeysController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateKeyBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MintedKeyAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly KeysController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the key.
                 * @example key_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `api_key_not_found`: API key not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly KeysController_revoke: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the key.
                 * @example key_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `api_key_not_found`: API key not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly KeysController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the key.
                 * @example key_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "scopes": [
                 *         "projects:read",
                 *         "deploys:*"
                 *       ],
                 *       "allowed_ips": [
                 *         "203.0.113.0/24"
                 *       ],
                 *       "name": "shop ci",
                 *       "expires_at": "2035-01-31T00:00:00Z"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangeKeyBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `api_key_not_found`: API key not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly KeysController_rotate: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the key.
                 * @example key_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly key_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "grace_seconds": 3600
                 *     }
                 */
                readonly "application/json": components["schemas"]["RotateKeyBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MintedKeyAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `api_key_not_found`: API key not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly KeysController_current: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["KeyAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly MeController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MeAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DocsController_openapi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        /** @example 3.0.0 */
                        readonly openapi: string;
                        readonly paths: Record<string, never>;
                    };
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OrgsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OrgsController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "slug": "acme"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateOrgBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `plan_limit_reached`: The limit of the plan is reached.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OrgsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OrgsController_delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `personal_organization`: A personal organization cannot be deleted or shared.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OrgsController_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "slug": "acme"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangeOrgBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             *
             *     `personal_organization`: A personal organization cannot be deleted or shared.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly AuditLogController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AuditPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly EventsController_stream: {
        readonly parameters: {
            readonly query?: {
                /** @description Also the stored events after this `seq`; `0` for all of them. Without it, the stream starts now. The header `Last-Event-ID` takes precedence. */
                readonly after?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: unknown;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Events. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": components["schemas"]["EventView"];
                    readonly "text/event-stream": string;
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             *
             *     `concurrency_limit_exceeded`: Too many operations are running at once.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvitationsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvitationPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvitationsController_revoke: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the invitation.
                 * @example inv_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly invitation_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `invitation_not_found`: Invitation not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly MembersController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MemberPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly MembersController_invite: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "email": "grace@example.org",
                 *       "role": "member"
                 *     }
                 */
                readonly "application/json": components["schemas"]["InviteBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvitationAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             *
             *     `personal_organization`: A personal organization cannot be deleted or shared.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly MembersController_remove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
                /**
                 * @description The id of the member.
                 * @example usr_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `member_not_found`: Member not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `last_owner`: An organization must have an owner.
             *
             *     `personal_organization`: A personal organization cannot be deleted or shared.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly MembersController_setRole: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
                /**
                 * @description The id of the member.
                 * @example usr_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly user_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "role": "admin"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangeRoleBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MemberAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `member_not_found`: Member not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `last_owner`: An organization must have an owner.
             *
             *     `personal_organization`: A personal organization cannot be deleted or shared.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookEndpointsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpointPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookEndpointsController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/service",
                 *       "description": "Chat of the team",
                 *       "types": [
                 *         "deploy.ready",
                 *         "deploy.error"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateWebhookEndpointBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IssuedWebhookEndpointAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookEndpointsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly endpoint_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpointAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `webhook_endpoint_not_found`: Webhook endpoint not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookEndpointsController_delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly endpoint_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `webhook_endpoint_not_found`: Webhook endpoint not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookEndpointsController_update: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly endpoint_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.com/service",
                 *       "description": "Chat of the team",
                 *       "types": [
                 *         "deploy.ready",
                 *         "deploy.error"
                 *       ],
                 *       "state": "active"
                 *     }
                 */
                readonly "application/json": components["schemas"]["UpdateWebhookEndpointBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookEndpointAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `webhook_endpoint_not_found`: Webhook endpoint not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookDeliveriesController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly endpoint_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDeliveryPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `webhook_endpoint_not_found`: Webhook endpoint not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookDeliveriesController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the delivery.
                 * @example whd_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly delivery_id: string;
                /**
                 * @description The id of the webhook endpoint.
                 * @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly endpoint_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDeliveryAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `webhook_endpoint_not_found`: Webhook endpoint not found.
             *
             *     `webhook_delivery_not_found`: Webhook delivery not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookDeliveriesController_replay: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the delivery.
                 * @example whd_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly delivery_id: string;
                /**
                 * @description The id of the webhook endpoint.
                 * @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly endpoint_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDeliveryAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `webhook_endpoint_not_found`: Webhook endpoint not found.
             *
             *     `webhook_delivery_not_found`: Webhook delivery not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `webhook_endpoint_paused`: The webhook endpoint is paused.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookEndpointsController_rotateSecret: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly endpoint_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "grace_seconds": 3600
                 *     }
                 */
                readonly "application/json": components["schemas"]["RotateWebhookSecretBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IssuedWebhookEndpointAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `webhook_endpoint_not_found`: Webhook endpoint not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly WebhookDeliveriesController_test: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the webhook endpoint.
                 * @example whe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly endpoint_id: string;
                /**
                 * @description The id or slug of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["WebhookDeliveryAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `webhook_endpoint_not_found`: Webhook endpoint not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `webhook_endpoint_paused`: The webhook endpoint is paused.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectsController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "slug": "shop",
                 *       "repo_url": "https://github.com/acme/shop",
                 *       "framework": "nextjs",
                 *       "root_directory": "apps/web",
                 *       "install_command": "npm ci",
                 *       "build_command": "npm run build",
                 *       "output_directory": "dist",
                 *       "node_version": "24",
                 *       "start_command": "npm start",
                 *       "health_path": "/healthz",
                 *       "start_timeout_ms": 30000,
                 *       "build_network": "registries",
                 *       "production_branch": "main"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateProjectBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `plan_limit_reached`: The limit of the plan is reached.
             *
             *     `feature_not_in_plan`: The plan does not include this feature.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectsController_delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectsController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Shop",
                 *       "slug": "shop",
                 *       "repo_url": "https://github.com/acme/shop",
                 *       "framework": "nextjs",
                 *       "root_directory": "apps/web",
                 *       "install_command": "npm ci",
                 *       "build_command": "npm run build",
                 *       "output_directory": "dist",
                 *       "node_version": "24",
                 *       "start_command": "npm start",
                 *       "health_path": "/healthz",
                 *       "start_timeout_ms": 30000,
                 *       "build_network": "registries",
                 *       "production_branch": "main"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangeProjectBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_not_in_plan`: The plan does not include this feature.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProtectionController_createAccessLink: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "host": "shop-new-cart-x7qf2m4kab.apps.example.com"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateAccessLinkBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AccessLinkAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `project_not_live`: The project has no such host.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CronsController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CronsAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CronsController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "path": "/api/cleanup",
                 *       "schedule": "0 5 * * *",
                 *       "time_zone": "Europe/Berlin",
                 *       "enabled": true
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateCronBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CronAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_not_in_plan`: The plan does not include this feature.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CronsController_delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the cron.
                 * @example cron_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly cron_id: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `cron_not_found`: Cron not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `cron_from_file`: The cron is set by a file of the repository.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CronsController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the cron.
                 * @example cron_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly cron_id: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "path": "/api/cleanup",
                 *       "schedule": "0 5 * * *",
                 *       "time_zone": "Europe/Berlin",
                 *       "enabled": false
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangeCronBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CronAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `cron_not_found`: Cron not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `cron_from_file`: The cron is set by a file of the repository.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CronsController_run: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the cron.
                 * @example cron_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly cron_id: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CronRunAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_not_in_plan`: The plan does not include this feature.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `cron_not_found`: Cron not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CronsController_runs: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the cron.
                 * @example cron_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly cron_id: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CronRunsAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `cron_not_found`: Cron not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeployHooksController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeployHooksAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeployHooksController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "Content changed",
                 *       "branch": "main"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateDeployHookBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IssuedDeployHookAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly DeployHooksController_delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the hook.
                 * @example dhk_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly hook_id: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `deploy_hook_not_found`: Deploy hook not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDeploysController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Only deploys of this branch. */
                readonly branch?: string;
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
                /** @description Only deploys in this state. */
                readonly state?: "queued" | "initializing" | "building" | "deploying" | "ready" | "error" | "canceled" | "skipped";
                /** @description Only deploys of this type. */
                readonly type?: "preview" | "production";
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeployPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDeploysController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateDeployBody"];
            };
        };
        readonly responses: {
            /** @description The deploy is queued. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeployAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_disabled`: Disabled by the operator.
             *
             *     `feature_not_in_plan`: The plan does not include this feature.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `upload_not_found`: Upload not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `project_has_no_repository`: The project has no linked repository.
             *
             *     `upload_incomplete`: Content of the upload is missing.
             *
             *     `storage_limit_reached`: The storage limit of the plan is reached.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             *
             *     `concurrency_limit_exceeded`: Too many operations are running at once.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDomainsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDomainsController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "shop.example.com",
                 *       "redirect_to": "example.com",
                 *       "https_redirect": true,
                 *       "hsts": false,
                 *       "www_redirect": true
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateDomainBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_not_in_plan`: The plan does not include this feature.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             *
             *     `domain_limit_reached`: The project has too many domains.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDomainsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or the name of the domain.
                 * @example shop.example.com
                 */
                readonly domain: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `domain_not_found`: Domain not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDomainsController_remove: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or the name of the domain.
                 * @example shop.example.com
                 */
                readonly domain: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `domain_not_found`: Domain not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `domain_in_use`: Another domain redirects to this one.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDomainsController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or the name of the domain.
                 * @example shop.example.com
                 */
                readonly domain: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "redirect_to": "example.com",
                 *       "https_redirect": true,
                 *       "hsts": false
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangeDomainBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `domain_not_found`: Domain not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDomainsController_verify: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or the name of the domain.
                 * @example shop.example.com
                 */
                readonly domain: string;
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DomainAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `domain_not_found`: Domain not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectEnvController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EnvAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectEnvController_set: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "variables": [
                 *         {
                 *           "name": "DATABASE_URL",
                 *           "value": "postgres://shop:secret@db.example.org/shop",
                 *           "targets": [
                 *             "production"
                 *           ],
                 *           "secret": true
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["SetEnvBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["EnvAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectEnvController_remove: {
        readonly parameters: {
            readonly query: {
                /** @description The name of the variable. */
                readonly name: string;
                /** @description Left out: all targets. */
                readonly target?: "production" | "preview" | "development";
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly AppMetricsController_get: {
        readonly parameters: {
            readonly query?: {
                /** @description Only this deploy. Defaults to all deploys of the project together. */
                readonly deploy?: string;
                /** @description Start. Defaults to an hour before `to`. */
                readonly from?: string;
                /** @description Length of a point in seconds. A request has at most 1500 points. */
                readonly step?: 60 | 300 | 900 | 3600 | 21600 | 86400;
                /** @description End, excluded. Defaults to now. */
                readonly to?: string;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AppMetricsAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `deploy_not_found`: Deploy not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProtectionController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProtectionAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProtectionController_change: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "previews": "password",
                 *       "production": "none",
                 *       "password": "a-password-for-reviewers"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ChangeProtectionBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProtectionAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectDeploysController_rollBack: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "deploy_id": "dpl_01jd3m8yeqf5rb0xkq5ym8s6tn"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RollBackBody"];
            };
        };
        readonly responses: {
            /** @description The deploy that is now in production. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["DeployAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_not_in_plan`: The plan does not include this feature.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `deploy_not_found`: Deploy not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `deploy_not_ready`: The deploy is not ready or its files were removed.
             *
             *     `no_earlier_deploy`: There is no earlier deploy to roll back to.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly RuntimeLogsController_log: {
        readonly parameters: {
            readonly query?: {
                /** @description Only lines after this `seq`. The header `Last-Event-ID` takes precedence. */
                readonly after?: number;
                /** @description Only lines of this deploy. Defaults to all deploys of the project. */
                readonly deploy?: string;
                /** @description Sends the last `limit` lines, and then new lines as they are printed. */
                readonly follow?: boolean;
                /** @description Only lines of these levels, separated by commas: debug, info, warn, error, system. */
                readonly level?: string;
                /** @description Number of lines: the last ones or, with `after`, the next ones. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: unknown;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Lines of the log. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/x-ndjson": components["schemas"]["RuntimeLogLineView"];
                    readonly "text/event-stream": string;
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `deploy_not_found`: Deploy not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ProjectSettingsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ProjectSettingsAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly UploadsController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "files": [
                 *         {
                 *           "path": "src/index.js",
                 *           "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                 *           "bytes": 4,
                 *           "executable": false
                 *         }
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreateUploadBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UploadAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_disabled`: Disabled by the operator.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `project_not_found`: Project not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `upload_storage_full`: The storage limit of the plan leaves no room for the upload.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `payload_too_large`: The request body is too large.
             *
             *     `upload_too_large`: The upload is too large.
             */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly UploadsController_receive: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or slug of the project.
                 * @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly project_id: string;
                /**
                 * @description The id of the upload.
                 * @example upl_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly upload_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 *     test
                 */
                readonly "application/octet-stream": string;
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MissingContentAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `upload_content_invalid`: The content is not what the upload announced.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_disabled`: Disabled by the operator.
             *
             *     `email_not_verified`: The email address of the account is not verified.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `project_not_found`: Project not found.
             *
             *     `upload_not_found`: Upload not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             *
             *     `concurrency_limit_exceeded`: Too many operations are running at once.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly RepositoriesController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RepositoryPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly RepositoriesController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CreateRepositoryBody"];
            };
        };
        readonly responses: {
            readonly 201: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RepositoryAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `plan_limit_reached`: The limit of the plan is reached.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             *
             *     `integration_not_configured`: This service is not connected to that provider.
             *
             *     `github_not_connected`: The organization has not connected this GitHub account.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `upstream_error`: Another service failed to answer as expected. */
            readonly 502: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly RepositoriesController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the repository.
                 * @example repo_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly repository_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RepositoryAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `repository_not_found`: Repository not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly RepositoriesController_delete: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the repository.
                 * @example repo_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly repository_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 204: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `repository_not_found`: Repository not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly RepositoriesController_branches: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the repository.
                 * @example repo_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly repository_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BranchPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `repository_not_found`: Repository not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly RepositoriesController_templates: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TemplatesAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ExecutionsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ExecutionPageAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ExecutionsController_create: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "code": "print(1 + 2)",
                 *       "language": "python",
                 *       "stdin": "Ada\n",
                 *       "files": [
                 *         {
                 *           "path": "lib/greet.py",
                 *           "content": "def greet(name):\n    return \"hello, \" + name\n"
                 *         }
                 *       ],
                 *       "timeout_ms": 5000,
                 *       "memory_mib": 256,
                 *       "wait": true,
                 *       "queue_timeout_ms": 20000
                 *     }
                 */
                readonly "application/json": components["schemas"]["OrgExecutionRequest"];
            };
        };
        readonly responses: {
            /** @description The code ran; `data.status` says how it ended. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgExecutionAnswer"];
                };
            };
            /** @description With `wait: false`, the code is queued and runs whether or not you ask for the result. */
            readonly 202: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgExecutionAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `credits_exhausted`: Not enough credits.
             *
             *     `spend_cap_reached`: The spend cap is reached.
             *
             *     `budget_exceeded`: A budget is used up.
             */
            readonly 402: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             *
             *     `feature_disabled`: Disabled by the operator.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             *
             *     `concurrency_limit_exceeded`: Too many operations are running at once.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             *
             *     `sandbox_unavailable`: The sandbox is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ExecutionsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the execution.
                 * @example exe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly execution_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgExecutionAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `execution_not_found`: Execution not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly ExecutionsController_cancel: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the execution.
                 * @example exe_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly execution_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrgExecutionAnswer"];
                };
            };
            /**
             * @description `conflicting_credentials`: The request carries two different credentials.
             *
             *     `invalid_request`: A field of the request is invalid.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `execution_not_found`: Execution not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `execution_already_over`: The execution has already ended.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `storage_unavailable`: There is not enough storage space.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SandboxLimitsController_show: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SandboxLimitsAnswer"];
                };
            };
            /** @description `conflicting_credentials`: The request carries two different credentials. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `missing_api_key`: The request carries no API key.
             *
             *     `malformed_api_key`: The API key has the wrong format.
             *
             *     `invalid_api_key`: The API key is unknown.
             *
             *     `expired_api_key`: The API key has expired.
             *
             *     `revoked_api_key`: The API key has been revoked.
             *
             *     `rotated_api_key`: The API key has been rotated.
             *
             *     `session_token_not_allowed`: A session token was sent where an API key is required.
             *
             *     `session_required`: The request requires a user session.
             *
             *     `invalid_session`: The session has ended or is unknown.
             */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `cross_site_request`: The session in a cookie was used from another site.
             *
             *     `insufficient_scopes`: The key or the role does not allow this.
             *
             *     `org_access_denied`: The caller has no access to the organization.
             *
             *     `key_org_mismatch`: The key is bound to another organization.
             *
             *     `ip_not_allowed`: The key does not allow this IP address.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SandboxController_try: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "code": "print(1 + 2)",
                 *       "language": "python",
                 *       "stdin": "Ada\n"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ExecutionRequest"];
            };
        };
        readonly responses: {
            /** @description The code ran; `data.status` says how it ended. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["AnonymousExecutionAnswer"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `feature_disabled`: Disabled by the operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `burst_limit_exceeded`: Too many requests in a short time.
             *
             *     `daily_limit_exceeded`: The daily call limit is reached.
             *
             *     `sandbox_daily_limit_exceeded`: The daily limit of anonymous sandbox executions is reached.
             *
             *     `concurrency_limit_exceeded`: Too many operations are running at once.
             */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `internal_error`: An unexpected error occurred. */
            readonly 500: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `service_unavailable`: A required backend is temporarily unavailable.
             *
             *     `sandbox_unavailable`: The sandbox is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly HealthController_health: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["HealthView"];
                };
            };
        };
    };
    readonly MetricsController_index: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Prometheus text format */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/plain": string;
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsController_show: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": {
                        readonly endpoints: readonly Record<string, never>[];
                        readonly parts: Record<string, never>;
                        readonly runbooks: readonly Record<string, never>[];
                        readonly schemaVersion: string;
                        readonly service: Record<string, never>;
                        /** @enum {string} */
                        readonly status: "ok" | "degraded" | "draining";
                    };
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsController_alert: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "title": "The disk of the database is nearly full",
                 *       "runbookTag": "disk",
                 *       "severity": "critical",
                 *       "status": "firing",
                 *       "dedupKey": "disk:db-1",
                 *       "source": "node-exporter",
                 *       "description": "Less than 5 % are free.",
                 *       "labels": {
                 *         "instance": "db-1"
                 *       },
                 *       "annotations": {
                 *         "dashboard": "https://grafana.example.org/d/disk"
                 *       },
                 *       "startsAt": "2026-12-03T08:30:00Z",
                 *       "url": "https://grafana.example.org/d/disk"
                 *     }
                 */
                readonly "application/json": components["schemas"]["GenericAlertBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["IntakeView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly CreditOperationsController_grant: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "orgId": "org_01jd3m8yeqf5rb0xkq5ym8s6tn",
                 *       "amountUsd": "25",
                 *       "reason": "Welcome credits",
                 *       "key": "ticket-4711",
                 *       "priority": 50,
                 *       "expiresAt": "2035-01-31T00:00:00Z",
                 *       "appliesTo": [
                 *         "sandbox_compute"
                 *       ]
                 *     }
                 */
                readonly "application/json": components["schemas"]["GrantCreditsBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["GrantedCreditsView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `already_exists`: The resource already exists.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvoiceOperationsController_correct: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the invoice.
                 * @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly invoice_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "amountUsd": "12.50",
                 *       "reason": "Downtime on 3 December",
                 *       "key": "ticket-4711"
                 *     }
                 */
                readonly "application/json": components["schemas"]["CreditNoteBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvoiceStateView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invoice_not_found`: Invoice not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `invoice_closed`: The invoice is paid or void.
             *
             *     `credit_too_large`: The credit note exceeds the invoice.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvoiceOperationsController_paid: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the invoice.
                 * @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly invoice_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "payment": "Transfer of 3 December"
                 *     }
                 */
                readonly "application/json": components["schemas"]["PaidBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvoiceStateView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invoice_not_found`: Invoice not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `invoice_closed`: The invoice is paid or void.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly InvoiceOperationsController_void: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the invoice.
                 * @example ivc_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly invoice_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "Billed twice"
                 *     }
                 */
                readonly "application/json": components["schemas"]["VoidBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["InvoiceStateView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invoice_not_found`: Invoice not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `invoice_closed`: The invoice is paid or void.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SubscriptionOperationsController_set: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "plan": "enterprise",
                 *       "priceUsdPerMonth": "1200",
                 *       "reason": "Contract of 1 December"
                 *     }
                 */
                readonly "application/json": components["schemas"]["SetPlanBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SetPlanView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly SubscriptionOperationsController_refuse: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "reason": "The billing address is missing"
                 *     }
                 */
                readonly "application/json": components["schemas"]["RefusePlanBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PlanRefusedView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `organization_not_found`: Organization not found.
             *
             *     `plan_request_not_found`: Plan request not found.
             */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsErrorsController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RecentErrorsView"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly FeaturesController_list: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FlagsView"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly FeaturesController_toggle: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "name": "sign_ups",
                 *       "enabled": false,
                 *       "reason": "Sign-ups are abused",
                 *       "expectedVersion": 3
                 *     }
                 */
                readonly "application/json": components["schemas"]["ToggleFlagBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ToggledView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `operator_required`: The caller is not an operator.
             *
             *     `flag_not_allowlisted`: The feature flag is not on the allowlist.
             */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `flag_not_found`: Feature flag not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `flag_fixed`: The feature flag is set by an environment variable.
             *
             *     `stale_version`: The resource has changed since it was read.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OrganizationAccountsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
                /** @description A part of the name or slug, the id, or the whole email address of an owner. */
                readonly search?: string;
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrganizationsView"];
                };
            };
            /** @description `invalid_request`: A field of the request is invalid. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OrganizationAccountsController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the organization.
                 * @example org_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly org_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrganizationAccountView"];
                };
            };
            /** @description `invalid_request`: A field of the request is invalid. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `organization_not_found`: Organization not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsTasksController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description The `meta.next_cursor` of an earlier page. The list continues after it. */
                readonly cursor?: string;
                /** @description Number of items on a page. */
                readonly limit?: number;
                /** @description Only tasks with this tag. */
                readonly runbookTag?: string;
                /** @description Only tasks with this status. */
                readonly status?: "open" | "claimed" | "resolved";
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TasksView"];
                };
            };
            /** @description `invalid_request`: A field of the request is invalid. */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsTasksController_get: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the task.
                 * @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskHistoryView"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `ops_task_not_found`: Task not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `service_unavailable`: A required backend is temporarily unavailable. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsTasksController_claim: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the task.
                 * @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "agent": "pager-bot",
                 *       "leaseSeconds": 900
                 *     }
                 */
                readonly "application/json": components["schemas"]["LeaseBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `ops_task_not_found`: Task not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `task_already_claimed`: Another caller has claimed the task.
             *
             *     `task_already_resolved`: The task is already resolved.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsTasksController_heartbeat: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the task.
                 * @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "agent": "pager-bot",
                 *       "leaseSeconds": 900
                 *     }
                 */
                readonly "application/json": components["schemas"]["LeaseBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `ops_task_not_found`: Task not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `task_already_claimed`: Another caller has claimed the task.
             *
             *     `task_already_resolved`: The task is already resolved.
             *
             *     `task_not_claimed`: The caller has not claimed the task.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsTasksController_note: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the task.
                 * @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "agent": "pager-bot",
                 *       "text": "The logs of the proxy take 80 % of the disk."
                 *     }
                 */
                readonly "application/json": components["schemas"]["NoteBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `ops_task_not_found`: Task not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsTasksController_release: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the task.
                 * @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "agent": "pager-bot"
                 *     }
                 */
                readonly "application/json": components["schemas"]["ReleaseBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `ops_task_not_found`: Task not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `task_already_claimed`: Another caller has claimed the task.
             *
             *     `task_already_resolved`: The task is already resolved.
             *
             *     `task_not_claimed`: The caller has not claimed the task.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsTasksController_resolve: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the task.
                 * @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "agent": "pager-bot",
                 *       "resolution": "The disk was full of old logs. They are rotated daily now."
                 *     }
                 */
                readonly "application/json": components["schemas"]["ResolveBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `ops_task_not_found`: Task not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `task_already_claimed`: Another caller has claimed the task.
             *
             *     `task_already_resolved`: The task is already resolved.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly OpsTasksController_silence: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of the task.
                 * @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn
                 */
                readonly task_id: string;
            };
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                /**
                 * @example {
                 *       "agent": "pager-bot",
                 *       "seconds": 3600
                 *     }
                 */
                readonly "application/json": components["schemas"]["SilenceBody"];
            };
        };
        readonly responses: {
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TaskView"];
                };
            };
            /**
             * @description `invalid_request`: A field of the request is invalid.
             *
             *     `malformed_json`: The request body is not valid JSON.
             */
            readonly 400: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `invalid_token`: The operator token is missing or wrong. */
            readonly 401: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `operator_required`: The caller is not an operator. */
            readonly 403: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `ops_task_not_found`: Task not found. */
            readonly 404: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `idempotency_mismatch`: The idempotency key was used for a different request.
             *
             *     `idempotency_in_progress`: A request with this idempotency key is still running.
             *
             *     `task_already_resolved`: The task is already resolved.
             */
            readonly 409: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `payload_too_large`: The request body is too large. */
            readonly 413: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `unsupported_media_type`: The request body must be JSON. */
            readonly 415: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `burst_limit_exceeded`: Too many requests in a short time. */
            readonly 429: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `storage_unavailable`: There is not enough storage space.
             *
             *     `service_unavailable`: A required backend is temporarily unavailable.
             */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    readonly HealthController_ready: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The process is ready. A part is `degraded` when the others work without it. */
            readonly 200: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReadinessView"];
                };
            };
            /** @description Not ready, or `shutting_down`. */
            readonly 503: {
                headers: {
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ReadinessView"];
                };
            };
        };
    };
}
