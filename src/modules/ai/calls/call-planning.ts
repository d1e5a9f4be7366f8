import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { SecretInPrompt } from '../ai.errors.js';
import { ModelsService } from '../catalog/models.service.js';
import { CallRulesStore } from '../persistence/call-rules.store.js';
import { requireAllowed } from '../policies/model-policy-check.js';
import { findSecret } from '../policies/secret-scan.js';
import { ProviderKeyVault } from '../provider-keys/provider-key-vault.js';
import { ModelRouters } from '../routers/model-routers.js';
import type { RoutePlan } from '../routing/route-plan.js';
import { estimateInput } from '../usage/token-estimate.js';
import type { CallRequest } from './call-request.js';
import { type OrgRules, withOnePayer } from './org-rules.js';

/** A request that the rules of its organization allow, before it is planned. */
export interface AllowedRequest {
  readonly rules: OrgRules;
  readonly inputTokens: number;
}

/** Applies what organizations have set for their calls. */
@Injectable()
export class CallPlanning {
  constructor(
    private readonly models: ModelsService,
    private readonly routers: ModelRouters,
    private readonly rules: CallRulesStore,
    private readonly vault: ProviderKeyVault,
  ) {}

  /**
   * Reads the rules of the organization and the texts of the request.
   *
   * @throws {SecretInPrompt} `secret_in_prompt`
   */
  async read({ org }: Call, { fields }: CallRequest): Promise<AllowedRequest> {
    const [rules, inputTokens] = await Promise.all([this.rulesOf(org.id), estimateInput(fields)]);
    const place = rules.policy.blocksSecrets ? await findSecret(fields) : undefined;
    if (place !== undefined) throw new SecretInPrompt(place);
    return { rules, inputTokens };
  }

  /**
   * Plans a request with models that the policy allows, and that the same account pays for.
   *
   * @throws {ModelRouterNotConfigured} `model_router_not_configured`
   * @throws {ModelNotFound} `model_not_found`
   * @throws {ModelNotAllowed} `model_not_allowed`
   * @throws {RequestInvalid} `invalid_request`
   */
  async plan({ protocol, fields }: CallRequest, rules: OrgRules): Promise<RoutePlan> {
    const { model, models } = fields;
    const plan = await this.models.plan({ protocol, model, models });
    requireAllowed(rules.policy, plan.models, (router) => this.routers.keepsNothing(router));
    return withOnePayer(rules, plan);
  }

  private async rulesOf(orgId: string): Promise<OrgRules> {
    const { policy, sealedKeys } = await this.rules.of(orgId);
    const apiKeys = [...sealedKeys]
      .filter(([router]) => this.routers.takesOwnKeys(router))
      .map(([router, sealed]) => [router, this.vault.open(sealed, { orgId, router })] as const);
    return { policy, apiKeys: new Map(apiKeys) };
  }
}
