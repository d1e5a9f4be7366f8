/** The templates of repositories (service document §2), whose files are in `templates/`. */
export const TEMPLATES = ['nextjs', 'nextjs-postgres', 'nextjs-uploads', 'expo', 'ai-chat'] as const;
export type TemplateName = (typeof TEMPLATES)[number];

/** What a project must have attached before its first deploy. */
export const TEMPLATE_NEEDS = ['database', 'bucket'] as const;
export type TemplateNeed = (typeof TEMPLATE_NEEDS)[number];
