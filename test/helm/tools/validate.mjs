/**
 * Reads rendered objects as JSON from stdin, and writes what the schemas of Kubernetes, KEDA and the Prometheus
 * Operator say against them as a list. It is a program of its own, because those packages are modules that Jest does
 * not load.
 */
import { json } from 'node:stream/consumers';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { PrometheusRule } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PrometheusRule';
import { ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/ServiceMonitor';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { Job } from 'kubernetes-models/batch/v1/Job';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';

const MODELS = [
  ConfigMap,
  Deployment,
  HorizontalPodAutoscaler,
  Ingress,
  Job,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  PrometheusRule,
  ScaledObject,
  Service,
  ServiceAccount,
  ServiceMonitor,
  StatefulSet,
];

function faultsOf(object) {
  const name = `${object.kind}/${object.metadata?.name}`;
  const Model = MODELS.find(({ apiVersion, kind }) => object.apiVersion === apiVersion && object.kind === kind);
  if (Model === undefined) return [`${name}: no schema of ${object.apiVersion}`];
  try {
    new Model(object).validate();
    return [];
  } catch (error) {
    return [`${name}: ${error.message}`];
  }
}

const objects = await json(process.stdin);
console.log(JSON.stringify(objects.flatMap(faultsOf)));
