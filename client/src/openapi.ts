/** Made from the OpenAPI description of the service by `npm run client:types`; never edited by hand. */

export interface paths {
    readonly "/api/v1": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** What this is and where to read on. */
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
        /** Tells whether a call would be let in, what refuses it, and the smallest change that would let it in. Nothing is called. */
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
        /** Sets a new password and ends every other session. */
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
        /** Sends a message with which a new password is set, if the address has an account; the answer does not tell. */
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
         * Sets a new password by the token from the message, and ends every session.
         * @description API keys keep working unless `revoke_keys` is true. An account whose e-mail address was not verified loses its keys in any case, because somebody else may have created them. The address counts as verified afterwards.
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
        /** Gives the session a new token and thirty more days. The old token stops at once; showing it again ends the session. */
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
        /** Lists the caller's sessions that are not over, the latest first. */
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
        /** Begins a session of thirty days. */
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
        /** Ends the session of the call. */
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
        /** Makes an account with an organization of its own, and signs in. A message to the e-mail address asks to confirm it. */
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
        /** Confirms an e-mail address by the token from the message. */
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
        /** Sends the message that confirms the e-mail address once more; not to one that is confirmed. */
        readonly post: operations["AuthController_resendVerification"];
        readonly delete?: never;
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
        /** Answers where a person gives a means of payment for a plan, which begins once that is done. */
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
        /** Shows the credits of the organization of the call: what is left, what is held, and of which grants. */
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
         * Takes usage from trusted sources. Safe to repeat: an event is recorded once.
         * @description Needs `USAGE_TOKEN` as bearer token, and is off while that is not set. Each event is taken or refused by itself.
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
        /** Tells when the calls of the day and the credits of the organization of the call are used up at the present rate, and what uses most. */
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
        /** Lists the invoices of the organization of the call, the newest first. */
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
        /** Shows an invoice with its lines, and the credit notes that have corrected it. */
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
        /** Shows an invoice as a page for people, to be printed. */
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
        /** Shows what the invoice of the running month would be if nothing more were used: the plan to the end of the month, usage until now. */
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
        /** Answers where a person changes the means of payment, or ends the subscription. */
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
        /** Lists what usage costs now, by meter and model, on every plan. */
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
        /** Shows what the organization of the call lets itself be billed for the usage of a month, and what is billed so far. */
        readonly get: operations["CreditsController_spendCap"];
        /**
         * Sets what the organization of the call lets itself be billed for the usage of a month, beyond its credits.
         * @description It holds at once. Work that might pass it is refused with 402 `spend_cap_reached`; the owners are told at 50, 80 and 100 %.
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
        /** Shows the plan of the organization of the call, what it costs, and what is planned. */
        readonly get: operations["SubscriptionsController_get"];
        readonly put?: never;
        /**
         * Chooses a plan for the organization of the call: a larger one at once, a smaller one from the next period on.
         * @description Where no payment provider is configured, a larger plan waits for the operator: the answer is 202 with `pending_change`. A later choice replaces or withdraws the request.
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
         * Shows what the organization of the call has used, and what it costs.
         * @description By the hour at which it is billed: what became known after its month was closed stands where it became known.
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
        /** Shows a deploy. */
        readonly get: operations["DeploysController_get"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Deletes the files of a deploy, and the hosts that lead to it.
         * @description What it stored is free at once. The deploy stays in the list, with `files_removed`. One that is at work, or that production shows, is not deleted.
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
        /** Ends a deploy that waits or is at work. */
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
        /** Lists what happened to a deploy, the earliest first: each state, lost attempts, and when hosts were pointed to it. */
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
         * Streams the log of a deploy, live until that is over.
         * @description With `Accept: text/event-stream` as events `line` and, at last, `end`; else as NDJSON, a line of the log a line, at last `{"end": {"state": …}}`. An answer that ends without it has broken off: ask again with the last `seq` in `Last-Event-ID`.
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
         * Makes a deploy that is ready what production shows, without a build.
         * @description With the environment that it was built with, for a preview that of previews. Ends what a rollback has pinned. Needs `deploys:write` as well.
         */
        readonly post: operations["DeploysController_promote"];
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
        /** Shows which GitHub accounts the organization of the call has connected. */
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
        /** Connects the account, with what GitHub sent the person back with; by the person who began. */
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
        /** Disconnects an account: the service sees nothing of it any more. */
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
        /** Begins to connect a GitHub account to the organization of the call: a person opens the address in a browser. */
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
        /** Joins an organization by the token from the message, which must have been sent to the address of the caller. */
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
        /** Lists the caller's keys, and those bound to organizations that it administers; the newest first. */
        readonly get: operations["KeysController_list"];
        readonly put?: never;
        /** Mints an API key. Its secret is shown this one time; a key never mints one that may do more than itself. */
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
        /** Shows a key, never its secret. */
        readonly get: operations["KeysController_get"];
        readonly put?: never;
        readonly post?: never;
        /** Revokes a key: it stops with its next call, for good. */
        readonly delete: operations["KeysController_revoke"];
        readonly options?: never;
        readonly head?: never;
        /** Changes what a key is called and may do, from its next call on. */
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
        /** Gives a key a new secret; the old one works on for `grace_seconds`. */
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
        /** Shows the key that makes the call. It needs no scope. */
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
        /** Shows who calls, with what, for which organization, and what they may do there. */
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
        /** This description, as OpenAPI 3. */
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
        /** Lists the organizations that the caller belongs to and the key reaches, the oldest first. */
        readonly get: operations["OrgsController_list"];
        readonly put?: never;
        /** Makes an organization, whose owner the caller is. */
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
        /** Shows an organization, named by id or slug. */
        readonly get: operations["OrgsController_get"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes an organization. Its owners only. */
        readonly delete: operations["OrgsController_delete"];
        readonly options?: never;
        readonly head?: never;
        /** Changes what an organization is called. */
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
        /** Lists what was done in an organization, by whom and from where; the latest first. */
        readonly get: operations["AuditLogController_list"];
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
        /** Lists the invitations that can still be accepted, the latest first. */
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
        /** Takes an invitation back. */
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
        /** Invites somebody by e-mail, for seven days. An earlier invitation to the same address is replaced. */
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
        /** Takes a member out. Everybody may take themselves out. */
        readonly delete: operations["MembersController_remove"];
        readonly options?: never;
        readonly head?: never;
        /** Gives a member another role; neither may be above the caller's own. */
        readonly patch: operations["MembersController_setRole"];
        readonly trace?: never;
    };
    readonly "/api/v1/projects": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the projects of the organization of the call, the newest first. */
        readonly get: operations["ProjectsController_list"];
        readonly put?: never;
        /** Creates a project of the organization of the call. A repository can be linked later. */
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
        /** Shows a project, named by its id, or by its slug within the organization of the call. */
        readonly get: operations["ProjectsController_get"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes a project for good, with its environment variables. */
        readonly delete: operations["ProjectsController_delete"];
        readonly options?: never;
        readonly head?: never;
        /** Changes a project. What is left out stays as it is, and null clears; `repo_url: null` unlinks the repository. */
        readonly patch: operations["ProjectsController_change"];
        readonly trace?: never;
    };
    readonly "/api/v1/projects/{project_id}/deploys": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /** Lists the deploys of a project, the newest first. */
        readonly get: operations["ProjectDeploysController_list"];
        readonly put?: never;
        /**
         * Queues a deploy of a branch of the linked repository.
         * @description It begins by itself when it is its turn. Older ones of the branch and type that still wait are skipped. `type: production` needs the scope `deploys:production` as well, and a plan that has it.
         */
        readonly post: operations["ProjectDeploysController_create"];
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
        /** Lists the environment variables of a project by name, with the values of those that are no secrets. */
        readonly get: operations["ProjectEnvController_list"];
        /**
         * Sets environment variables, each in the targets that it names, and answers all that the project then has.
         * @description All or none. Variables, and targets of a variable, that are not named stay as they are. Deploys take what is set when they begin.
         */
        readonly put: operations["ProjectEnvController_set"];
        readonly post?: never;
        /** Takes an environment variable out of all targets, or out of one. It is no fault if it is not there. */
        readonly delete: operations["ProjectEnvController_remove"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
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
         * Makes an earlier deploy what production shows, without a build.
         * @description With the environment that it was built with. Production stays there, whatever is deployed since, until the next promote. Needs `deploys:write` as well.
         */
        readonly post: operations["ProjectDeploysController_rollBack"];
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
        /** Lists the repositories of the organization of the call, the newest first. */
        readonly get: operations["RepositoriesController_list"];
        readonly put?: never;
        /** Creates a repository of the organization of the call, from a template or empty. */
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
        /** Shows a repository. */
        readonly get: operations["RepositoriesController_get"];
        readonly put?: never;
        readonly post?: never;
        /** Deletes a repository for good, with all that is in it. */
        readonly delete: operations["RepositoriesController_delete"];
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
        /** Lists what a repository can begin with. */
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
        /** Lists the executions of the organization of the last 30 days, the newest first, without what they printed. */
        readonly get: operations["ExecutionsController_list"];
        readonly put?: never;
        /**
         * Runs code in the sandbox, within the limits of the plan of the organization.
         * @description The price of the time limit is held, and the time that the run takes is paid for. A caller that waits and hangs up ends the run. With `Dry-Run: true` nothing runs, and `data` has only `language`, `limits` and `max_cost`.
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
        /** Shows an execution and, once it has run, what it printed. */
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
        /** Ends an execution that is queued or running; what it has printed is not kept. */
        readonly post: operations["ExecutionsController_cancel"];
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
         * Runs code in the anonymous sandbox: no account, ten runs a day for one IP address.
         * @description With `Dry-Run: true` nothing runs and nothing is counted, and `data` has only `language` and `limits`.
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
         * Counters, gauges and histograms for Prometheus.
         * @description Needs `METRICS_TOKEN` as bearer token when it is set.
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
         * Shows all that an agent needs to run the service: its state, its endpoints, its runbooks and tasks.
         * @description Needs `OPS_TOKEN` as bearer token when it is set; otherwise it answers only programs on the same machine.
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
         * Takes alerts in, from Alertmanager or in a form of our own, and makes tasks of them.
         * @description Needs `OPS_TOKEN` as bearer token when it is set; otherwise it answers only programs on the same machine. Fields that are not known are welcome. Answers 503 only while the database is away: then send it again.
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
         * Gives credits to an organization, once for a key.
         * @description Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.
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
         * Corrects an invoice: so much of it is not owed.
         * @description Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.
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
         * Writes down that an invoice has been paid.
         * @description Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.
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
         * Takes an invoice back that is not paid, with a credit note over all that is due.
         * @description Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.
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
         * Gives an organization a plan at once, at a price that may be agreed on. A pending request is answered by it.
         * @description Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.
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
         * Refuses the larger plan that an organization has requested.
         * @description Needs `OPS_TOKEN` as bearer token, and answers nobody while that is not set.
         */
        readonly post: operations["SubscriptionOperationsController_refuse"];
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
         * Shows the feature flags, and which of them may be toggled.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
         */
        readonly get: operations["FeaturesController_list"];
        readonly put?: never;
        /**
         * Toggles a feature flag of the allowlist, in every process within a second.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
         */
        readonly post: operations["FeaturesController_toggle"];
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
         * Lists tasks, the newest first.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
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
         * Shows a task, with all that happened to it.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
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
         * Takes a task, so that nobody else works on it; again, to keep it longer.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
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
         * Keeps a task that you hold, for as long again.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
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
         * Writes down what was found, for whoever comes next.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
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
         * Gives a task back that you hold, for others to take.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
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
         * Ends a task that you hold, or that nobody does.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
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
         * Keeps a task from counting as unclaimed for a while.
         * @description Needs `OPS_TOKEN` as bearer token when it is set.
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
        /** Readiness, with the database, the migrations, Redis, the queues and the sandbox. */
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
        readonly AuditActorView: {
            /** @description The API key that was used, if one was. */
            readonly key_id?: string;
            /** @description Absent where the service itself acted. */
            readonly user_id?: string;
            readonly username?: string;
        };
        readonly AuditEntryView: {
            /** @example member.role_changed */
            readonly action: string;
            readonly actor: components["schemas"]["AuditActorView"];
            /** Format: date-time */
            readonly at: string;
            /** @description Facts of this action. */
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
            /** @example ada */
            readonly username: string;
        };
        readonly CallsForecastView: {
            /** @description Null: unlimited. */
            readonly limit: number | null;
            /** @description Of this UTC day so far. */
            readonly per_hour: number | null;
            /** @description Null: unlimited. */
            readonly remaining: number | null;
            /** Format: date-time */
            readonly resets_at: string;
            /**
             * Format: date-time
             * @description Absent where they last until resets_at.
             */
            readonly run_out_at?: string;
            /** @description Null: unlimited. */
            readonly used: number | null;
        };
        readonly ChangeKeyBody: {
            /**
             * @description IP addresses and CIDRs that the key may be used from; empty: from anywhere.
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
            /** @example ci of the shop */
            readonly name?: string;
            /**
             * @description Scopes, `projects:read`; all of a resource, `projects:*`; or everything, `*`.
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
             * @description The old one is free for others at once. Not of a personal organization.
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
             * @description Not a common one, and without the username and the e-mail address.
             * @example violet-harbor-lantern-42
             */
            readonly new_password: string;
        };
        readonly ChangeProjectBody: {
            /**
             * @description Builds the project. Left out, what the framework asks for.
             * @example npm run build
             */
            readonly build_command?: string | null;
            /**
             * @description Left out, it is found out when the project is deployed.
             * @example nextjs
             * @enum {string|null}
             */
            readonly framework?: "nextjs" | "expo" | "astro" | "nuxt" | "react-router" | "sveltekit" | "vite" | "node" | "static" | null;
            /**
             * @description Installs the dependencies. Left out, what the lock file asks for.
             * @example npm ci
             */
            readonly install_command?: string | null;
            /** @example Shop */
            readonly name?: string;
            /**
             * @description Left out, what package.json asks for.
             * @example 24
             * @enum {string|null}
             */
            readonly node_version?: "20" | "22" | "24" | null;
            /**
             * @description What the build makes, below `root_directory`. Left out, that of the framework.
             * @example dist
             */
            readonly output_directory?: string | null;
            /**
             * @description Deploys of it are production deploys.
             * @example main
             */
            readonly production_branch?: string;
            /**
             * @description Where the repository is cloned from: https, a public host, no user. Repositories of this service are named by the `repo_url` that it gave out.
             * @example https://github.com/acme/shop
             */
            readonly repo_url?: string | null;
            /**
             * @description Where the project is in its repository; left out, at its root.
             * @example apps/web
             */
            readonly root_directory?: string | null;
            /**
             * @description The old one is free for others at once.
             * @example shop
             */
            readonly slug?: string;
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
             * @description A larger plan begins at once, a smaller one with the next period. The present one drops what is planned.
             * @example builder
             * @enum {string}
             */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
        };
        readonly CommitView: {
            /** @description The name of its author. */
            readonly author: string;
            /** @description Its first line. */
            readonly message: string;
            /** @example 4b825dc642cb6eb9a060e54bf8d69288fbee4904 */
            readonly sha: string;
        };
        readonly ConnectGithubBody: {
            /**
             * @description As GitHub sent it: good once, for ten minutes.
             * @example 3584d83530557fdd1f46
             */
            readonly code: string;
            /**
             * @description As GitHub sent it.
             * @example 48211093
             */
            readonly installation_id: number;
            /**
             * @description As GitHub sent it back.
             * @example ghs_01jd3m8yeqf5rb0xkq5ym8s6tn
             */
            readonly state: string;
        };
        readonly CreateDeployBody: {
            /**
             * @description Left out, the production branch of the project.
             * @example main
             */
            readonly branch?: string;
            /**
             * @description The full hash of a commit. Left out, what the branch points to when the deploy begins.
             * @example 8d4e3c7a1b90f2655e4d3c2b1a09f8e7d6c5b4a3
             */
            readonly commit?: string;
            /**
             * @description true: builds even if this commit was built before with the same settings and variables.
             * @default false
             * @example false
             */
            readonly force: boolean;
            /**
             * @description production: what the project shows the world, in plans that have it. preview: a host of its own for the branch.
             * @default preview
             * @example preview
             * @enum {string}
             */
            readonly type: "preview" | "production";
        };
        readonly CreateKeyBody: {
            /**
             * @description IP addresses and CIDRs that the key may be used from; empty: from anywhere.
             * @example [
             *       "203.0.113.0/24"
             *     ]
             */
            readonly allowed_ips?: readonly string[];
            /**
             * Format: date-time
             * @description When it stops working. Without it, or `expires_in_days`: never.
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
             * @description Of an org-bound key: its organization, by id or slug.
             * @example acme
             */
            readonly org_id?: string;
            /**
             * @description Of a select-orgs key: the organizations that it reaches, by id or slug.
             * @example [
             *       "acme",
             *       "example-labs"
             *     ]
             */
            readonly org_ids?: readonly string[];
            /**
             * @description Scopes by purpose, instead of `scopes`. Without either: `full`.
             * @example ci_deploy
             * @enum {string}
             */
            readonly preset?: "read_only" | "ci_deploy" | "agent" | "full";
            /**
             * @description Scopes, `projects:read`; all of a resource, `projects:*`; or everything, `*`.
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
             * @description Names the organization in paths and headers. Made from the name by default.
             * @example acme
             */
            readonly slug?: string;
        };
        readonly CreateProjectBody: {
            /**
             * @description Builds the project. Left out, what the framework asks for.
             * @example npm run build
             */
            readonly build_command?: string;
            /**
             * @description Left out, it is found out when the project is deployed.
             * @example nextjs
             * @enum {string}
             */
            readonly framework?: "nextjs" | "expo" | "astro" | "nuxt" | "react-router" | "sveltekit" | "vite" | "node" | "static";
            /**
             * @description Installs the dependencies. Left out, what the lock file asks for.
             * @example npm ci
             */
            readonly install_command?: string;
            /** @example Shop */
            readonly name: string;
            /**
             * @description Left out, what package.json asks for.
             * @example 24
             * @enum {string}
             */
            readonly node_version?: "20" | "22" | "24";
            /**
             * @description What the build makes, below `root_directory`. Left out, that of the framework.
             * @example dist
             */
            readonly output_directory?: string;
            /**
             * @description Deploys of it are production deploys. Default: main.
             * @example main
             */
            readonly production_branch?: string;
            /**
             * @description Where the repository is cloned from: https, a public host, no user. Repositories of this service are named by the `repo_url` that it gave out.
             * @example https://github.com/acme/shop
             */
            readonly repo_url?: string;
            /**
             * @description Where the project is in its repository; left out, at its root.
             * @example apps/web
             */
            readonly root_directory?: string;
            /**
             * @description Names the project in paths and hosts. Left out, it is made from the name, with a number where that is taken.
             * @example shop
             */
            readonly slug?: string;
        };
        readonly CreateRepositoryBody: {
            /**
             * @description With `github`: the account, where the organization has connected several.
             * @example acme
             */
            readonly account?: string;
            /**
             * @description Once in an organization, in upper or lower case.
             * @example shop
             */
            readonly name: string;
            /**
             * @description With `github`: whether others cannot see it; they cannot unless this is `false`.
             * @example true
             */
            readonly private?: boolean;
            /**
             * @description Who keeps it, this service unless it is said; `github` needs a template, and an account that the organization has connected.
             * @example github
             * @enum {string}
             */
            readonly provider?: "service" | "github";
            /**
             * @description What it begins with; left out, it begins empty.
             * @example nextjs
             * @enum {string}
             */
            readonly template?: "nextjs" | "expo";
        };
        readonly CredentialView: {
            /** @description With `type: api_key`. */
            readonly key?: components["schemas"]["CallingKeyView"];
            /** @enum {string} */
            readonly type: "session" | "api_key";
        };
        readonly CreditNoteBody: {
            /**
             * @description In USD, as a decimal, in whole cents.
             * @example 12.50
             */
            readonly amountUsd: string;
            /**
             * @description Sent again with the same key, the credit note is made once.
             * @example ticket-4711
             */
            readonly key: string;
            /**
             * @description Is on the credit note.
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
             * @description In USD, as a decimal.
             * @example 4.123456789
             */
            readonly balance: string;
            /** @description Of it, for work that is under way. */
            readonly held: string;
            /** @description What the usage of the last 24 hours costs, in USD. */
            readonly per_day: string;
            /**
             * Format: date-time
             * @description Absent where nothing is used, or so little that they last for ten years.
             */
            readonly run_out_at?: string;
        };
        readonly CreditsView: {
            /**
             * @description In USD, as a decimal: what is left of all grants, what is held included.
             * @example 4.123456789
             */
            readonly balance: string;
            /** @description Those with something left, in the order in which they are used. */
            readonly grants: readonly components["schemas"]["GrantView"][];
            /**
             * @description In USD: of the balance, what is held for work that is under way.
             * @example 0.000416667
             */
            readonly held: string;
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
             * @description state: it went to another state. handed_back: an attempt came to nothing, and it waits anew. live: hosts were pointed to it.
             * @enum {string}
             */
            readonly kind: "state" | "handed_back" | "live";
            /** @enum {string} */
            readonly to?: "queued" | "initializing" | "building" | "deploying" | "ready" | "error" | "canceled" | "skipped";
        };
        readonly DeployLogLineView: {
            /** @enum {string} */
            readonly phase: "queue" | "resolve" | "fetch" | "install" | "build" | "collect" | "ingest" | "check" | "live";
            /** @description 1 for the first; without gaps. */
            readonly seq: number;
            /**
             * @description system: the platform itself.
             * @enum {string}
             */
            readonly stream: "stdout" | "stderr" | "system";
            /** @description One line, in which the values of secrets are masked. */
            readonly text: string;
            /** Format: date-time */
            readonly time: string;
        };
        readonly DeployPageAnswer: {
            readonly data: readonly components["schemas"]["DeployView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly DeployView: {
            /** @description What else leads to it now: production first, then the host of its branch. */
            readonly aliases: readonly string[];
            /** @description How often a worker was asked to do it. */
            readonly attempt: number;
            /** @example main */
            readonly branch: string;
            /**
             * Format: date-time
             * @description Of the last attempt.
             */
            readonly building_at?: string;
            /** @description Absent until it is known. */
            readonly commit?: components["schemas"]["CommitView"];
            /** Format: date-time */
            readonly created_at: string;
            /**
             * Format: date-time
             * @description Of the last attempt.
             */
            readonly deploying_at?: string;
            /** @description Of one that has ended as error. */
            readonly error?: components["schemas"]["FailureView"];
            /** @description true: its files are not kept any more, and it cannot be opened. */
            readonly files_removed?: boolean;
            /** Format: date-time */
            readonly finished_at?: string;
            /** @example dpl_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * Format: date-time
             * @description Of the last attempt.
             */
            readonly initializing_at?: string;
            /** @description Whether production leads to it or, of a preview, the host of its branch. */
            readonly live: boolean;
            /** @description What was built, once it is ready. */
            readonly output?: components["schemas"]["OutputView"];
            /** @description Time spent in each phase, in milliseconds, once it is over. */
            readonly phase_ms: {
                readonly [key: string]: number;
            };
            /** @description true: production was rolled back to it, and stays there until the next promote. */
            readonly pinned?: boolean;
            /** @example prj_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly project_id: string;
            /** Format: date-time */
            readonly ready_at?: string;
            /** @description The earlier deploy of the same commit, settings and variables whose files it has. */
            readonly same_as?: string;
            /**
             * @description queued, initializing, building and deploying lead to one of the others. skipped: a newer one of the branch came before its turn.
             * @enum {string}
             */
            readonly state: "queued" | "initializing" | "building" | "deploying" | "ready" | "error" | "canceled" | "skipped";
            /** @enum {string} */
            readonly trigger: "api" | "push";
            /**
             * @description production: what the project shows the world, in plans that have it. preview: a host of its own for the branch.
             * @enum {string}
             */
            readonly type: "preview" | "production";
            /** @description Always this deploy; it answers once that is ready. */
            readonly url: string;
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
             * @description false: the value can be read again. true, the default: it is never shown.
             * @example true
             */
            readonly secret?: boolean;
            /**
             * @description production: deploys of the production branch. preview: all other deploys. development: work on a machine of your own.
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
            /** @description Those that have it alike; where they differ the name stands in the list again. */
            readonly targets: readonly ("production" | "preview" | "development")[];
            /** Format: date-time */
            readonly updated_at: string;
            /** @description Never of a secret. */
            readonly value?: string;
        };
        readonly ErrorAnswer: {
            readonly error: components["schemas"]["ErrorView"];
            readonly meta: components["schemas"]["MetaView"];
        };
        readonly ErrorView: {
            /** @enum {string} */
            readonly code: "already_exists" | "api_key_not_found" | "burst_limit_exceeded" | "concurrency_limit_exceeded" | "conflicting_credentials" | "credit_too_large" | "credits_exhausted" | "daily_limit_exceeded" | "deploy_already_over" | "deploy_in_use" | "deploy_not_found" | "deploy_not_ready" | "email_not_verified" | "email_taken" | "execution_already_over" | "execution_not_found" | "expired_api_key" | "feature_disabled" | "feature_not_in_plan" | "flag_fixed" | "flag_not_allowlisted" | "flag_not_found" | "git_service_not_offered" | "github_access_denied" | "github_installation_not_found" | "github_not_connected" | "headers_too_large" | "idempotency_in_progress" | "idempotency_mismatch" | "insufficient_scopes" | "integration_not_configured" | "internal_error" | "invalid_api_key" | "invalid_credentials" | "invalid_email_token" | "invalid_link_state" | "invalid_request" | "invalid_session" | "invalid_signature" | "invalid_token" | "invitation_not_found" | "invoice_closed" | "invoice_not_found" | "ip_not_allowed" | "key_org_mismatch" | "last_owner" | "malformed_api_key" | "malformed_json" | "malformed_request" | "member_not_found" | "method_not_allowed" | "misdirected_request" | "missing_api_key" | "no_earlier_deploy" | "ops_task_not_found" | "org_access_denied" | "organization_not_found" | "page_not_found" | "payload_too_large" | "payment_method_required" | "personal_organization" | "plan_by_contract" | "plan_limit_reached" | "plan_request_not_found" | "plan_too_small" | "project_has_no_repository" | "project_not_found" | "repository_full" | "repository_not_found" | "request_timeout" | "revoked_api_key" | "rotated_api_key" | "route_not_found" | "sandbox_daily_limit_exceeded" | "sandbox_unavailable" | "service_unavailable" | "session_not_found" | "session_required" | "session_token_not_allowed" | "sign_in_limit_exceeded" | "spend_cap_reached" | "stale_version" | "storage_limit_reached" | "storage_unavailable" | "task_already_claimed" | "task_already_resolved" | "task_not_claimed" | "unsupported_media_type" | "upstream_error" | "username_taken";
            readonly dashboard_url?: string;
            /** @description Facts of this code; for `invalid_request` one row per field. */
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
        readonly ExecutionErrorView: {
            readonly column?: number;
            /** @description In the code that was sent. */
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
             * @description What the program reads from standard input, at most 128 KiB of UTF-8.
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
            /** @description What the run waited for a worker, in milliseconds. */
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
             * @description For which organization, by id or slug; without it, that of a call without `x-service-org`.
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
            /** @description Whether such a call would be let in now. */
            readonly allowed: boolean;
            /** @description The error code that the call would be answered with. */
            readonly code?: string;
            /** @description The smallest change that would let it in. */
            readonly fix?: string;
            readonly message?: string;
            readonly organization?: components["schemas"]["ExplainedOrganization"];
            /**
             * @description What refuses it first.
             * @enum {string}
             */
            readonly refused_by?: "route" | "credential" | "organization" | "budget" | "scope" | "role" | "email";
            readonly required_scopes: readonly string[];
            /** @example POST /api/v1/keys/:key_id/rotate */
            readonly route?: string;
        };
        readonly FailureView: {
            /**
             * @description Listed in the documentation of deploys.
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
             * @description Relative to the working directory of the program.
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
            /** @description Whether POST /ops/features may toggle it. */
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
            /** @description 0 for one that was never toggled. */
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
            /** @description What costs most in the last 24 hours, at most five. */
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
             * @description Alerts with the same one are of the same fault. Left out: made of source, title and labels.
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
             * @description Tags the task, so that its runbook is found.
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
             * @description What GitHub calls it.
             * @example 48211093
             */
            readonly installation_id: number;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /**
             * Format: date-time
             * @description Somebody at GitHub has suspended it: nothing can be read until that ends.
             */
            readonly suspended_at?: string;
        };
        readonly GithubLinkAnswer: {
            readonly data: components["schemas"]["GithubLinkView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly GithubLinkView: {
            /** @description The same for an account that has the app already. */
            readonly authorize_url: string;
            /** Format: date-time */
            readonly expires_at: string;
            /**
             * @description Open it in a browser, to install the app on an account.
             * @example https://github.com/apps/my-platform/installations/new?state=…
             */
            readonly install_url: string;
        };
        readonly GithubView: {
            /** @description Whether this service has a GitHub App at all. */
            readonly configured: boolean;
            /** @description What the organization of the call has connected. */
            readonly installations: readonly components["schemas"]["GithubInstallationView"][];
        };
        readonly GrantCreditsBody: {
            /**
             * @description In USD, as a decimal.
             * @example 25
             */
            readonly amountUsd: string;
            /**
             * @description Left out: everything that is metered.
             * @example [
             *       "sandbox_compute"
             *     ]
             */
            readonly appliesTo?: readonly ("ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage")[];
            /**
             * Format: date-time
             * @description Left out: never.
             * @example 2035-01-31T00:00:00Z
             */
            readonly expiresAt?: string;
            /**
             * @description The same one gives the credits once, however often it is sent.
             * @example ticket-4711
             */
            readonly key: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly orgId: string;
            /**
             * @description Grants are used by this, the lowest first. Those of the Free plan have 100.
             * @default 50
             * @example 50
             */
            readonly priority: number;
            /**
             * @description Is written to the audit log of the organization, whose members may read it.
             * @example Welcome credits
             */
            readonly reason: string;
        };
        readonly GrantedCreditsView: {
            /** @example 25 */
            readonly amountUsd: string;
            /** @description false: they had been given before. */
            readonly created: boolean;
            /** @example crg_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly orgId: string;
            /** @example 25 */
            readonly remainingUsd: string;
        };
        readonly GrantView: {
            /**
             * @description In USD, as a decimal.
             * @example 5
             */
            readonly amount: string;
            /** @description Absent: everything that is metered. */
            readonly applies_to?: readonly ("ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage")[];
            /**
             * Format: date-time
             * @description Absent: never.
             */
            readonly expires_at?: string;
            /** @example crg_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /** @description Grants are used by this, the lowest first; then by expiry, then by age. */
            readonly priority: number;
            /**
             * @description In USD, what is held included.
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
            /** @description Ends of what has no task, and faults whose end came first. */
            readonly ignored: number;
            readonly received: number;
            readonly rejected: readonly components["schemas"]["RejectedView"][];
            readonly resolved: number;
            readonly tasks: readonly components["schemas"]["TouchedTaskView"][];
            /** @description Of tasks that were there. */
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
             * @description The id of the member who sent it.
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
             * @description To the nano-dollar; all lines together are the total.
             * @example 0.000123456
             */
            readonly amount: string;
            /** @enum {string} */
            readonly kind: "base_fee" | "usage" | "adjustment" | "credits" | "not_charged" | "rounding";
            /**
             * @description Of usage, as the next six.
             * @enum {string}
             */
            readonly meter?: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            readonly model?: string;
            readonly period: components["schemas"]["InvoicePeriodView"];
            /**
             * @description Of a base fee.
             * @enum {string}
             */
            readonly plan?: "free" | "builder" | "pro" | "enterprise";
            /** @example 0.1 */
            readonly price?: string;
            /**
             * @description What `price` is for.
             * @example hour
             */
            readonly price_per?: string;
            /** @description The version of the price. */
            readonly price_version?: string;
            /** @description In whole units; of a base fee the seconds. */
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
             * @description The first moment that is not in it.
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
             * @description Still to be paid.
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
             * @description Still to be paid: what is due of the total, less the credit notes.
             * @example 51.30
             */
            readonly amount_due: string;
            /** @description The organization, as it was called then. */
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
             * @description Who wrote it, in lines; empty where the operator names nobody.
             * @example [
             *       "Example Hosting Ltd",
             *       "1 Example Street, London"
             *     ]
             */
            readonly issuer: readonly string[];
            readonly lines: readonly components["schemas"]["InvoiceLineView"][];
            /**
             * @description Without gaps.
             * @example INV-000042
             */
            readonly number: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** Format: date-time */
            readonly paid_at?: string;
            /** @description A month, in UTC. */
            readonly period: components["schemas"]["InvoicePeriodView"];
            /** @enum {string} */
            readonly state: "finalized" | "paid" | "overdue" | "void";
            /**
             * @description In whole cents.
             * @example 51.30
             */
            readonly total: string;
            /** Format: date-time */
            readonly voided_at?: string;
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
             * @description Within some seconds.
             */
            readonly last_used_at?: string;
            readonly last_used_ip?: string;
            /** @example x7Qz */
            readonly last4: string;
            readonly name: string;
            /** @description Of an org-bound key. */
            readonly org_id?: string;
            /** @description Of a select-orgs key. */
            readonly org_ids?: readonly string[];
            /** @example svc_pat_ */
            readonly prefix: string;
            /** Format: date-time */
            readonly revoked_at?: string;
            readonly scopes: readonly ("projects:read" | "projects:write" | "projects:delete" | "deploys:read" | "deploys:write" | "deploys:production" | "repositories:read" | "repositories:write" | "sandbox:execute" | "agents:read" | "agents:write" | "agents:run" | "ai:invoke" | "storage:read" | "storage:write" | "databases:read" | "databases:write" | "databases:admin" | "billing:read" | "billing:write" | "keys:read" | "keys:write" | "orgs:read" | "orgs:write" | "orgs:members" | "audit:read" | "projects:*" | "deploys:*" | "repositories:*" | "sandbox:*" | "agents:*" | "ai:*" | "storage:*" | "databases:*" | "billing:*" | "keys:*" | "orgs:*" | "audit:*" | "*")[];
            /** @enum {string} */
            readonly status: "active" | "expired" | "revoked";
            /** @description Whose key it is. */
            readonly user_id: string;
        };
        readonly LeaseBody: {
            /**
             * @description Who you are: whatever name you keep to.
             * @example pager-bot
             */
            readonly agent: string;
            /**
             * @description The task is open again when it is not renewed within that.
             * @default 900
             * @example 900
             */
            readonly leaseSeconds: number;
        };
        readonly LimitsView: {
            readonly memory_bytes: number;
            /** @description Of standard output and of standard error, each. */
            readonly output_bytes: number;
            readonly timeout_ms: number;
        };
        readonly ListedExecutionView: {
            /**
             * @description In USD, as a decimal: the price of its wall time, by whole milliseconds. Absent until it has run, and where it did not.
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
            /** @description What it may, or might, use. */
            readonly limits: components["schemas"]["LimitsView"];
            readonly memory_peak_bytes?: number;
            /** @description What the run waited for a worker, in milliseconds. */
            readonly queue_ms?: number;
            readonly runtime?: components["schemas"]["RuntimeView"];
            /** @example null */
            readonly signal?: string | null;
            /** Format: date-time */
            readonly started_at?: string;
            /**
             * @description queued and running lead to one of the others. lost: the platform lost the run, and whether the code ran is not known.
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
             * @description Without gaps.
             * @example INV-000042
             */
            readonly number: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** Format: date-time */
            readonly paid_at?: string;
            /** @description A month, in UTC. */
            readonly period: components["schemas"]["InvoicePeriodView"];
            /** @enum {string} */
            readonly state: "finalized" | "paid" | "overdue" | "void";
            /**
             * @description In whole cents.
             * @example 51.30
             */
            readonly total: string;
            /** Format: date-time */
            readonly voided_at?: string;
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
            /** @description The person's own. */
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
            /** @description The one of this call: `x-service-org`, else the home of the credential. */
            readonly organization: components["schemas"]["MembershipView"];
            /** @description Those that the credential reaches. */
            readonly organizations: readonly components["schemas"]["MembershipView"][];
            /** @description What the caller may do in the organization of this call. */
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
             * @description Within some seconds.
             */
            readonly last_used_at?: string;
            readonly last_used_ip?: string;
            /** @example x7Qz */
            readonly last4: string;
            readonly name: string;
            /** @description Of an org-bound key. */
            readonly org_id?: string;
            /** @description Of a select-orgs key. */
            readonly org_ids?: readonly string[];
            /** @example svc_pat_ */
            readonly prefix: string;
            /** Format: date-time */
            readonly revoked_at?: string;
            readonly scopes: readonly ("projects:read" | "projects:write" | "projects:delete" | "deploys:read" | "deploys:write" | "deploys:production" | "repositories:read" | "repositories:write" | "sandbox:execute" | "agents:read" | "agents:write" | "agents:run" | "ai:invoke" | "storage:read" | "storage:write" | "databases:read" | "databases:write" | "databases:admin" | "billing:read" | "billing:write" | "keys:read" | "keys:write" | "orgs:read" | "orgs:write" | "orgs:members" | "audit:read" | "projects:*" | "deploys:*" | "repositories:*" | "sandbox:*" | "agents:*" | "ai:*" | "storage:*" | "databases:*" | "billing:*" | "keys:*" | "orgs:*" | "audit:*" | "*")[];
            /**
             * @description The key itself. It is shown this one time.
             * @example svc_pat_…
             */
            readonly secret: string;
            /** @enum {string} */
            readonly status: "active" | "expired" | "revoked";
            /** @description Whose key it is. */
            readonly user_id: string;
        };
        readonly MonthForecastView: {
            /** @description So far, in USD. */
            readonly cost: string;
            /** @description At its end, if it goes on as in the last 24 hours. */
            readonly projected_cost: string;
        };
        readonly NoteBody: {
            /**
             * @description Who you are: whatever name you keep to.
             * @example pager-bot
             */
            readonly agent: string;
            /** @example The logs of the proxy take 80 % of the disk. */
            readonly text: string;
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
            /** @description Files beside the program, which it can import or read; at most 256 KiB of UTF-8 together. */
            readonly files?: readonly components["schemas"]["FileBody"][];
            /**
             * @example python
             * @enum {string}
             */
            readonly language: "typescript" | "javascript" | "python";
            /**
             * @description At most what the plan of the organization allows. Default: 256. Any other amount starts a sandbox of its own, which takes some 30 ms longer.
             * @example 256
             */
            readonly memory_mib?: number;
            /**
             * @description How long the execution may wait for its turn. A caller that waits sets it to its own time-out less `timeout_ms`. Default: 28 seconds, and 5 minutes with `wait: false`. If the wait would be longer, the answer is 503 with `Retry-After`.
             * @example 20000
             */
            readonly queue_timeout_ms?: number;
            /**
             * @description What the program reads from standard input, at most 128 KiB of UTF-8.
             * @example Ada
             */
            readonly stdin?: string;
            /**
             * @description Wall and processor time, at most what the plan of the organization allows. Default: 30 seconds.
             * @example 5000
             */
            readonly timeout_ms?: number;
            /**
             * @description false: the answer comes at once, with 202, and the result is there to be read when the code has run.
             * @default true
             * @example true
             */
            readonly wait: boolean;
        };
        readonly OrgExecutionView: {
            /**
             * @description In USD, as a decimal: the price of its wall time, by whole milliseconds. Absent until it has run, and where it did not.
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
            /** @description What it may, or might, use. */
            readonly limits: components["schemas"]["LimitsView"];
            readonly memory_peak_bytes?: number;
            /** @description What the run waited for a worker, in milliseconds. */
            readonly queue_ms?: number;
            readonly runtime?: components["schemas"]["RuntimeView"];
            /** @example null */
            readonly signal?: string | null;
            /** Format: date-time */
            readonly started_at?: string;
            /**
             * @description queued and running lead to one of the others. lost: the platform lost the run, and whether the code ran is not known.
             * @enum {string}
             */
            readonly status: "queued" | "running" | "succeeded" | "failed" | "timed_out" | "out_of_memory" | "output_limit" | "cancelled" | "lost";
            readonly stderr?: string;
            /** @description Absent until the code has run, and where it did not run to its end. */
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
            /** @description Whether it is the caller's own, which came with the account. */
            readonly personal: boolean;
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /**
             * @description What the caller is in it.
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
             * @description Release line of Node; absent where nothing was run.
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
             * @description By what it was paid; the organization may read it.
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
             * @description How many API keys were revoked.
             * @example 0
             */
            readonly revoked_keys: number;
        };
        readonly PaymentPageAnswer: {
            readonly data: components["schemas"]["PaymentPageView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly PaymentPageView: {
            /** @description A page of the provider of payments, to be opened once and soon. Absent in a dry run. */
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
             * @description The first moment of the next one.
             */
            readonly to: string;
        };
        readonly PlanAppsView: {
            /**
             * @description Most that each may use, in percent of one processor.
             * @example 200
             */
            readonly cpu_max_percent: number;
            /**
             * @description Share of each while processors are contended, relative to those of other plans.
             * @example 100
             */
            readonly cpu_weight: number;
            /**
             * @description Memory of each, in MiB.
             * @example 512
             */
            readonly memory_mib: number;
            /**
             * @description Servers of deploys that may run at once on one machine, sleeping ones included.
             * @example 8
             */
            readonly servers: number;
        };
        readonly PlanFeaturesView: {
            readonly production_deploys: boolean;
            readonly sso: boolean;
            readonly swarms_and_cron: boolean;
        };
        readonly PlanLimitsView: {
            /** @description Null: unlimited. */
            readonly agents: number | null;
            /** @description Null: unlimited. */
            readonly calls_per_day: number | null;
            /** @description MiB that the files of all deploys of an organization can come to. */
            readonly deploys_stored_mib: number;
            /** @description Null: unlimited. */
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
            /** @description Whether usage beyond credits is billed; else it ends with them. */
            readonly bills_usage: boolean;
            readonly features: components["schemas"]["PlanFeaturesView"];
            /** @enum {string} */
            readonly id: "free" | "builder" | "pro" | "enterprise";
            /**
             * @description In USD: what a person gets once, for whatever is metered.
             * @example 5
             */
            readonly included_credits_usd: string;
            readonly limits: components["schemas"]["PlanLimitsView"];
            /** @example Builder */
            readonly name: string;
            /**
             * @description In USD, as a decimal. Null: by agreement.
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
             * @description Of this version; invoices name it.
             * @example sandbox-compute-1
             */
            readonly id: string;
            /** @enum {string} */
            readonly meter: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            /** @example anthropic/claude-sonnet:output */
            readonly model?: string;
            /**
             * @description What the price is for.
             * @example hour
             */
            readonly per: string;
            /**
             * @description In USD, as a decimal.
             * @example 0.1
             */
            readonly price_usd: string;
            /**
             * Format: date-time
             * @description From when on it is in force.
             */
            readonly since: string;
        };
        readonly ProjectAnswer: {
            readonly data: components["schemas"]["ProjectView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly ProjectPageAnswer: {
            readonly data: readonly components["schemas"]["ProjectView"][];
            readonly meta: components["schemas"]["PageMeta"];
        };
        readonly ProjectView: {
            readonly build_command?: string;
            /** Format: date-time */
            readonly created_at: string;
            /** @enum {string} */
            readonly framework?: "nextjs" | "expo" | "astro" | "nuxt" | "react-router" | "sveltekit" | "vite" | "node" | "static";
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
            /** @description Absent while no repository is linked: then nothing can be deployed. */
            readonly repo_url?: string;
            readonly root_directory?: string;
            /** @example shop */
            readonly slug: string;
            /** Format: date-time */
            readonly updated_at: string;
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
        readonly RefusedEventView: {
            /** @enum {string} */
            readonly code: "invalid_event" | "organization_not_found" | "project_not_found" | "price_not_found" | "not_yet";
            readonly field?: string;
            /** @description Its place in `events`, from 0. */
            readonly index: number;
            readonly message: string;
        };
        readonly RefusePlanBody: {
            /**
             * @description Is written to the audit log of the organization, whose members may read it.
             * @example The billing address is missing
             */
            readonly reason: string;
        };
        readonly RejectedView: {
            /** @enum {string} */
            readonly code: "not_an_object" | "invalid_status" | "invalid_time" | "no_labels";
            /** @description Which of the alerts, from 0. */
            readonly index: number;
        };
        readonly ReleaseBody: {
            /**
             * @description Who you are: whatever name you keep to.
             * @example pager-bot
             */
            readonly agent: string;
        };
        readonly ReportedUsageAnswer: {
            readonly data: components["schemas"]["ReportedUsageView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly ReportedUsageView: {
            /** @description Recorded now. */
            readonly accepted: number;
            /** @description Recorded before, and not counted again. */
            readonly duplicates: number;
            /** @description Not recorded; the others are. */
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
            /** @example shop */
            readonly name: string;
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** @enum {string} */
            readonly provider: "service" | "github";
            /**
             * @description To clone it, with an API key as the password or as GitHub wants it, and to link it to a project.
             * @example http://127.0.0.1:3000/git/acme/shop.git
             */
            readonly repo_url: string;
            /** @description On disk, after the last push. Absent in the answer to its creation, and at GitHub. */
            readonly size_bytes?: number;
            /** @enum {string} */
            readonly template?: "nextjs" | "expo";
        };
        readonly ResetPasswordBody: {
            /**
             * Format: password
             * @description Not a common one, and without the username and the e-mail address.
             * @example violet-harbor-lantern-42
             */
            readonly password: string;
            /**
             * @description Also revokes every API key of the account. Send true if somebody else may have had access.
             * @default false
             * @example true
             */
            readonly revoke_keys: boolean;
            /**
             * @description From the message.
             * @example svc_mail_…
             */
            readonly token: string;
        };
        readonly ResolveBody: {
            /**
             * @description Who you are: whatever name you keep to.
             * @example pager-bot
             */
            readonly agent: string;
            /**
             * @description What was wrong, and what was done.
             * @example The disk was full of old logs. They are rotated daily now.
             */
            readonly resolution: string;
        };
        readonly RollBackBody: {
            /**
             * @description A deploy of the project that is ready. Left out, the last that was live before the one that is.
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
             * @description Shown this once.
             * @example svc_sess_…
             */
            readonly session_token: string;
        };
        readonly RotateKeyBody: {
            /**
             * @description For how long the old secret works on; never past the end of the key.
             * @default 0
             * @example 3600
             */
            readonly grace_seconds: number;
        };
        readonly RuntimeView: {
            /** @example python */
            readonly name: string;
            /** @example 3.11.2 */
            readonly version: string;
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
            /** @description Whether it is the one that asks. */
            readonly current: boolean;
            /** Format: date-time */
            readonly expires_at: string;
            /** @example ses_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            /**
             * @description Where it began.
             * @example 203.0.113.7
             */
            readonly ip: string;
            /**
             * Format: date-time
             * @description To the minute.
             */
            readonly last_used_at: string;
            /** @description What it began with. */
            readonly user_agent?: string;
        };
        readonly SetEnvBody: {
            /** @description A target can have 200 variables, and 1 MiB of names and values. */
            readonly variables: readonly components["schemas"]["EnvVariableBody"][];
        };
        readonly SetPlanBody: {
            /**
             * @example enterprise
             * @enum {string}
             */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /**
             * @description In USD, as a decimal. Left out, the price of the list; Enterprise has none there.
             * @example 1200
             */
            readonly priceUsdPerMonth?: string;
            /**
             * @description Is written to the audit log of the organization, whose members may read it.
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
             * @description From when on it is billed.
             */
            readonly since: string;
        };
        readonly SignedInAnswer: {
            readonly data: components["schemas"]["SignedInView"];
            readonly meta: components["schemas"]["AnswerMeta"];
        };
        readonly SignedInView: {
            /** @description The person's own. */
            readonly organization: components["schemas"]["HomeOrganizationView"];
            /**
             * @description For what a person does. API keys are minted with it. Shown this once.
             * @example svc_sess_…
             */
            readonly session_token: string;
            readonly user: components["schemas"]["UserView"];
        };
        readonly SignInBody: {
            /**
             * @description The username or the e-mail address.
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
             * @description Not a common one, and without the username and the e-mail address.
             * @example violet-harbor-lantern-42
             */
            readonly password: string;
            /**
             * @description Also the slug of the personal organization. Lower-cased.
             * @example ada
             */
            readonly username: string;
        };
        readonly SilenceBody: {
            /**
             * @description Who you are: whatever name you keep to.
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
             * @description In USD for a calendar month (UTC), as a decimal. "0": only credits are used. null: no cap.
             * @example 100
             */
            readonly amount: string | null;
        };
        readonly SpendCapView: {
            /**
             * @description In USD for a calendar month (UTC). null: no cap.
             * @example 100
             */
            readonly amount: string | null;
            /**
             * @description In USD: usage of this month beyond the credits, what is held for work under way included.
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
             * @description Bytes that they can come to in the present plan.
             * @example 1073741824
             */
            readonly limit_bytes: number;
            /**
             * @description Bytes that the files of all deploys come to.
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
            /** @description A larger plan that waits for the approval of the operator. */
            readonly pending_change?: components["schemas"]["PendingChangeView"];
            /** @description The month, in UTC, whose invoice the present usage is for. */
            readonly period: components["schemas"]["PeriodView"];
            /** @enum {string} */
            readonly plan: "free" | "builder" | "pro" | "enterprise";
            /** @description Absent while none is planned. */
            readonly planned_change?: components["schemas"]["PlannedChangeView"];
            /**
             * @description In USD, as a decimal: what the organization pays for a whole month of the plan, before usage.
             * @example 49
             */
            readonly price_usd_per_month: string;
            /** @description What the organization stores in deploys. */
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
             * @description When it ended.
             */
            readonly endsAt?: string;
            /** @description What happened to it, in order. */
            readonly events: readonly components["schemas"]["TaskEventView"][];
            /** @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly labels: {
                readonly [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was last reported.
             */
            readonly lastSeenAt: string;
            /** @description How often it was reported. */
            readonly occurrences: number;
            readonly resolution?: string;
            /** Format: date-time */
            readonly resolvedAt?: string;
            /** @description The agent, or `alert`. */
            readonly resolvedBy?: string;
            /**
             * @description Of its runbook in GET /ops; `untagged` when none is for it.
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
            /** @description Pass it as `cursor` for more; absent on the last page. */
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
             * @description When it ended.
             */
            readonly endsAt?: string;
            /** @example tsk_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly id: string;
            readonly labels: {
                readonly [key: string]: string;
            };
            /**
             * Format: date-time
             * @description When it was last reported.
             */
            readonly lastSeenAt: string;
            /** @description How often it was reported. */
            readonly occurrences: number;
            readonly resolution?: string;
            /** Format: date-time */
            readonly resolvedAt?: string;
            /** @description The agent, or `alert`. */
            readonly resolvedBy?: string;
            /**
             * @description Of its runbook in GET /ops; `untagged` when none is for it.
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
             * @description The version that was seen; 409 when it has changed since.
             * @example 3
             */
            readonly expectedVersion?: number;
            /** @example sign_ups */
            readonly name: string;
            /**
             * @description Kept with the change, for whoever asks later.
             * @example Sign-ups are abused
             */
            readonly reason?: string;
        };
        readonly TokenBody: {
            /**
             * @description From the message.
             * @example svc_mail_…
             */
            readonly token: string;
        };
        readonly TopUsageView: {
            /**
             * @description In USD, as a decimal.
             * @example 4.123456789
             */
            readonly cost: string;
            /** @enum {string} */
            readonly meter: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            readonly model?: string;
            readonly project_id?: string;
            /** @description Of all that the last 24 hours cost, 0 to 1. */
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
             * @description What is used or chosen later is not in it.
             */
            readonly as_of: string;
            /** @example USD */
            readonly currency: string;
            readonly lines: readonly components["schemas"]["InvoiceLineView"][];
            /** @example org_01jd3m8yeqf5rb0xkq5ym8s6tn */
            readonly org_id: string;
            /** @description The running month, in UTC. */
            readonly period: components["schemas"]["InvoicePeriodView"];
            /**
             * @description In whole cents.
             * @example 51.30
             */
            readonly total: string;
        };
        readonly UsageAnswer: {
            readonly data: readonly components["schemas"]["UsageView"][];
            readonly meta: components["schemas"]["UsageMeta"];
        };
        readonly UsageEventBody: {
            /**
             * @description What the source calls it. Together with source and occurred_at it is known again.
             * @example call-8812:input
             */
            readonly id: string;
            /**
             * @example ai_tokens
             * @enum {string}
             */
            readonly meter: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            /**
             * @description Of ai_tokens: <model>:input or <model>:output.
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
             * @description For whoever looks into a bill later.
             * @example {
             *       "region": "eu"
             *     }
             */
            readonly properties?: {
                readonly [key: string]: string;
            };
            /**
             * @description Tokens, milliseconds or byte-hours, in digits.
             * @example 1250
             */
            readonly quantity: string;
            /** @example model-router */
            readonly source: string;
        };
        readonly UsageMeta: {
            /**
             * @description Of all lines, in USD.
             * @example 1.234567891
             */
            readonly cost: string;
            /** Format: date-time */
            readonly from: string;
            readonly request_id: string;
            /**
             * Format: date-time
             * @description Before which the usage is shown.
             */
            readonly to: string;
        };
        readonly UsageView: {
            /**
             * @description In USD, as a decimal.
             * @example 0.1
             */
            readonly cost: string;
            /** Format: date */
            readonly day?: string;
            /**
             * @description The quantity for people to read, rounded.
             * @example 1 h
             */
            readonly display_quantity: string;
            /** @enum {string} */
            readonly meter: "ai_tokens" | "sandbox_compute" | "database_storage" | "object_storage";
            readonly model?: string;
            /** @description Absent where the usage is of no project. */
            readonly project_id?: string;
            /**
             * @description In digits.
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
             * @description Is on the credit note that it is taken back with.
             * @example Billed twice
             */
            readonly reason: string;
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description Names the session in the list of sessions. */
                readonly "user-agent"?: string;
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description Names the session in the list of sessions. */
                readonly "user-agent"?: string;
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description A day, or a time at a full hour. Left out: the beginning of the month, UTC. */
                readonly from?: string;
                /** @description What is told apart besides the meter: meter, model, project, day, with commas between. */
                readonly group_by?: string;
                /** @description Shown until before it. Left out: now, with the present hour. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description Only lines after this `seq`; the header Last-Event-ID wins. */
                readonly after?: number;
                /** @description false: what there is now, without waiting for more. */
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
            /** @description With `Accept: text/event-stream` and `Last-Event-ID`: the deploy is over and nothing is left to be told. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                 *       "name": "ci of the shop",
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
    readonly InvitationsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
    readonly ProjectsController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
    readonly ProjectDeploysController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description Those of this branch. */
                readonly branch?: string;
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
            /** @description It is queued. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             *     `project_has_no_repository`: The project has no linked repository.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
            /** @description The deploy that is live now. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
    readonly RepositoriesController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
            /** @description With `wait: false`: the code is queued, and runs whether or not anybody asks for it. */
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
             * @description `insufficient_scopes`: The key or the role does not allow this.
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
            /** @description `flag_not_allowlisted`: The feature flag is not on the allowlist. */
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
    readonly OpsTasksController_list: {
        readonly parameters: {
            readonly query?: {
                /** @description `meta.next_cursor` of an earlier page: the list goes on after it. */
                readonly cursor?: string;
                /** @description Items on a page. */
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
            /** @description Ready; `degraded` when a part that others do without is down. */
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
