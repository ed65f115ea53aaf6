// client-go at the work of our_client.py: lists, a watch through two indexes, single requests. Prints one JSON line with its figures.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

const requestsFor = 600 * time.Millisecond

func resident() float64 {
	runtime.GC()
	debug.FreeOSMemory()
	text, err := os.ReadFile("/proc/self/statm")
	must(err)
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	must(err)
	return float64(pages * os.Getpagesize())
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// watched tells how long the events took, from the first to the last, and what the caches hold.
func watched(client kubernetes.Interface, lastRevision string) (float64, float64) {
	before := resident()
	factory := informers.NewSharedInformerFactory(client, 0)
	nodes, pods := factory.Core().V1().Nodes().Informer(), factory.Core().V1().Pods().Informer()
	must(pods.AddIndexers(cache.Indexers{
		"node": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil },
		"app":  func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Labels["app"]}, nil },
	}))
	var begun time.Time
	took := make(chan float64, 1)
	_, err := pods.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, pod any) {
		if begun.IsZero() {
			begun = time.Now()
		}
		if pod.(*corev1.Pod).ResourceVersion == lastRevision {
			took <- time.Since(begun).Seconds()
		}
	}})
	must(err)
	ended := make(chan struct{})
	factory.Start(ended)
	seconds := <-took
	held := resident() - before
	runtime.KeepAlive(nodes)
	close(ended)
	return seconds, held
}

// requestsPerSecond reads one pod again and again, so many at a time.
func requestsPerSecond(client kubernetes.Interface, inFlight int) float64 {
	var done atomic.Int64
	var all sync.WaitGroup
	begun := time.Now()
	for range inFlight {
		all.Go(func() {
			for time.Since(begun) < requestsFor {
				_, err := client.CoreV1().Pods("team-1").Get(context.Background(), "pod-00001", metav1.GetOptions{})
				must(err)
				done.Add(1)
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(begun).Seconds()
}

func main() {
	// Lists, then watches, as the other contenders do: the server knows nothing else.
	must(os.Setenv("KUBE_FEATURE_WatchListClient", "false"))
	url, lastRevision := os.Args[1], os.Args[2]
	configuration := &rest.Config{Host: url, QPS: -1, ContentConfig: rest.ContentConfig{ContentType: "application/json", AcceptContentTypes: "application/json"}}
	client, err := kubernetes.NewForConfig(configuration)
	must(err)
	seconds, held := watched(client, lastRevision)
	figures := map[string]float64{"watch_seconds": seconds, "resident": held}
	for _, inFlight := range []int{1, 16, 128} {
		figures[fmt.Sprintf("requests_%d", inFlight)] = requestsPerSecond(client, inFlight)
	}
	must(json.NewEncoder(os.Stdout).Encode(figures))
}
