{{/* Names are cut at 40, so that the longest suffix and the number of a pod stay below the 63 of Kubernetes. */}}
{{- define "service-platform.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "service-platform.selectorLabels" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "service-platform.labels" -}}
{{ include "service-platform.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Takes { root, role }. */}}
{{- define "service-platform.roleSelectorLabels" -}}
{{ include "service-platform.selectorLabels" .root }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "service-platform.roleLabels" -}}
{{ include "service-platform.labels" .root }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "service-platform.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The roles that this release runs, separated by spaces. */}}
{{- define "service-platform.roles" -}}
api edge worker{{ if .Values.databases.enabled }} databases{{ end }}
{{- end -}}

{{/*
Settings that are no secrets, as YAML. Those of the values win over the first ones; the last ones are what the templates
rely on, which the schema keeps out of the values.
*/}}
{{- define "service-platform.settings" -}}
{{- $api := printf "http://%s-api:3000" (include "service-platform.fullname" .) -}}
{{- $defaults := dict "AGENT_API_URL" $api "APPS_API_URL" $api "DRAIN_DELAY_MS" "5000" "REDIS_TIMEOUT_MS" "100" -}}
{{- if .Values.ingress.enabled -}}
{{- $_ := set $defaults "TRUST_PROXY" "1" -}}
{{- end -}}
{{- if not .Values.isolation.tunResource -}}
{{- $_ := set $defaults "APPS_NETWORK" "off" -}}
{{- end -}}
{{- $fixed := dict "HOST" "0.0.0.0" "PORT" "3000" "APPS_PORT" "3001" "DATABASES_PORT" "5433" "DATA_DIR" "/data" -}}
{{- $_ := set $fixed "SERVICE_INSTALL" "never" -}}
{{- merge dict $fixed .Values.settings $defaults | toYaml -}}
{{- end -}}

{{/* The variables of a container that come from Secrets, and those that a role sets for itself. Takes { root, own }. */}}
{{- define "service-platform.environment" -}}
{{- $root := .root -}}
{{- range $name := $root.Values.secrets.settings }}
{{- if not (hasKey $root.Values.secrets.from $name) }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $root.Values.secrets.existingSecret }}, key: {{ $name }} } }
{{- end }}
{{- end }}
{{- range $name, $place := $root.Values.secrets.from }}
- name: {{ $name }}
  valueFrom: { secretKeyRef: { name: {{ $place.name }}, key: {{ $place.key }} } }
{{- end }}
{{- range $name, $value := .own }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with $root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What Pod Security calls `restricted`. */}}
{{- define "service-platform.restricted" -}}
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{/* The same, but with the namespaces and mounts of their own that sandboxes, builds, apps and databases are made of. */}}
{{- define "service-platform.isolating" -}}
allowPrivilegeEscalation: false
capabilities: { drop: [ALL] }
privileged: false
procMount: {{ .Values.isolation.procMount }}
readOnlyRootFilesystem: true
runAsNonRoot: true
seccompProfile: {{ toYaml .Values.isolation.seccompProfile | nindent 2 }}
appArmorProfile: {{ toYaml .Values.isolation.appArmorProfile | nindent 2 }}
{{- end -}}

{{/* The user of the image. A volume that has the group already is not walked through, as databases refuse other modes. */}}
{{- define "service-platform.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
{{- end -}}

{{/* The directory of the repositories. */}}
{{- define "service-platform.repositoriesVolume" -}}
- name: repositories
{{- if eq .Values.repositories.kind "none" }}
  emptyDir: {}
{{- else }}
  persistentVolumeClaim:
    claimName: {{ if eq .Values.repositories.kind "existingClaim" }}{{ .Values.repositories.existingClaim }}{{ else }}{{ include "service-platform.fullname" . }}-repositories{{ end }}
{{- end }}
{{- end -}}

{{/* The template of the pods of a role. Takes { root, role }. */}}
{{- define "service-platform.pod" -}}
{{- $root := .root -}}
{{- $role := .role -}}
{{- $values := index $root.Values $role -}}
{{- $fullname := include "service-platform.fullname" $root -}}
{{- $isolates := ne $role "api" -}}
{{- $hasRepositories := or (eq $role "api") (eq $role "worker") -}}
metadata:
  labels:
    {{- include "service-platform.roleLabels" . | nindent 4 }}
    {{- with $root.Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  annotations:
    # Pods are replaced when a setting changes. Of a Secret, only the name is known here.
    checksum/settings: {{ include "service-platform.settings" $root | sha256sum }}
    {{- with $root.Values.podAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ $fullname }}-{{ $role }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- if $isolates }}
  hostUsers: {{ $root.Values.isolation.hostUsers }}
  {{- end }}
  {{- with $values.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext: {{ include "service-platform.podSecurity" $root | nindent 4 }}
  # The process ends within 25 s of the signal. It serves for DRAIN_DELAY_MS of them, until balancers have noticed, which
  # is why there is no preStop hook.
  terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
  containers:
    - name: {{ $role }}
      image: {{ include "service-platform.image" $root }}
      imagePullPolicy: {{ $root.Values.image.pullPolicy }}
      args: [{{ $role }}]
      {{- if $isolates }}
      securityContext: {{ include "service-platform.isolating" $root | nindent 8 }}
      {{- else }}
      securityContext: {{ include "service-platform.restricted" $root | nindent 8 }}
      {{- end }}
      envFrom:
        - configMapRef: { name: {{ $fullname }}-settings }
      env:
        {{- if eq $role "databases" }}
        - name: POD_NAME
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        - name: DATABASES_ADDRESS
          value: $(POD_NAME).{{ $fullname }}-databases-hosts.{{ $root.Release.Namespace }}.svc:5433
        {{- if $values.tlsSecret }}
        - name: DATABASES_TLS_CERT_FILE
          value: /etc/service-platform/databases-tls/tls.crt
        - name: DATABASES_TLS_KEY_FILE
          value: /etc/service-platform/databases-tls/tls.key
        {{- end }}
        {{- end }}
        {{- include "service-platform.environment" (dict "root" $root "own" $values.settings) | nindent 8 }}
      ports:
        - { name: http, containerPort: 3000 }
        {{- if eq $role "edge" }}
        - { name: apps, containerPort: 3001 }
        {{- end }}
        {{- if eq $role "databases" }}
        - { name: postgresql, containerPort: 5433 }
        {{- end }}
      startupProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 60
      # Asks nothing of PostgreSQL and Redis: a restart would not bring them back.
      livenessProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # An outage of Redis or PostgreSQL takes all pods out at once. A fail-over of some seconds does not.
      readinessProbe:
        httpGet: { path: /ready, port: http }
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 3
      resources:
        {{- $resources := deepCopy $values.resources }}
        {{- if and $root.Values.isolation.tunResource (or (eq $role "edge") (eq $role "worker")) }}
        {{- $_ := set $resources "limits" (merge (dict $root.Values.isolation.tunResource 1) $resources.limits) }}
        {{- end }}
        {{- toYaml $resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        {{- if $hasRepositories }}
        - { name: repositories, mountPath: /data/repositories }
        {{- end }}
        {{- if and (eq $role "databases") $values.tlsSecret }}
        - { name: databases-tls, mountPath: /etc/service-platform/databases-tls, readOnly: true }
        {{- end }}
        {{- with $root.Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    - name: tmp
      emptyDir: {}
    {{- if ne $role "databases" }}
    - name: data
      emptyDir: {}
    {{- end }}
    {{- if $hasRepositories }}
    {{- include "service-platform.repositoriesVolume" $root | nindent 4 }}
    {{- end }}
    {{- if and (eq $role "databases") $values.tlsSecret }}
    - name: databases-tls
      secret: { secretName: {{ $values.tlsSecret }}, defaultMode: 0440 }
    {{- end }}
    {{- with $root.Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- if $root.Values.topologySpread.enabled }}
  topologySpreadConstraints:
    {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
    - maxSkew: 1
      topologyKey: {{ $key }}
      whenUnsatisfiable: {{ $root.Values.topologySpread.whenUnsatisfiable }}
      labelSelector:
        matchLabels: {{ include "service-platform.roleSelectorLabels" $ | nindent 10 }}
      {{- if ne $role "databases" }}
      # Pods of the release before do not count, as they are about to leave.
      matchLabelKeys: [pod-template-hash]
      {{- end }}
    {{- end }}
  {{- end }}
{{- end -}}
