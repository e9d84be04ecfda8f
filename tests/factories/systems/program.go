// A retriever that answers lines of JSON with the same passages each time, calmly or not.
// program calm|rough FOLDER: a rough one is in trouble the first time that it is asked some of the
// queries, and remembers them by files in the folder, since it may not live on.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

type query struct {
	ID    string `json:"id"`
	Query string `json:"query"`
	K     int    `json:"k"`
}

type answer struct {
	ID     string    `json:"id"`
	IDs    []string  `json:"ids"`
	Scores []float64 `json:"scores"`
}

const latency = 2 * time.Millisecond
const passages = 200

var writing sync.Mutex

func write(text string) {
	writing.Lock()
	defer writing.Unlock()
	fmt.Print(text)
}

func numberOf(text string) int {
	sum := 7
	for _, letter := range text {
		sum = (sum*31 + int(letter)) % 100_003
	}
	return sum
}

func main() {
	rough, folder := os.Args[1] == "rough", os.Args[2]
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var asked query
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		number := numberOf(asked.Query)
		if rough && number%33 == 0 {
			path := filepath.Join(folder, asked.ID)
			if _, err := os.Stat(path); err != nil {
				os.WriteFile(path, nil, 0o600)
				switch number / 33 % 16 {
				case 0:
					os.Exit(3)
				case 1:
					time.Sleep(time.Hour)
				case 2:
					write("{\"id\": \n")
					continue
				case 3:
					write("{\"id\": \"" + asked.ID)
					os.Exit(0)
				case 4:
					write("loading the index\n")
				default:
					write(fmt.Sprintf("{\"id\": %q, \"error\": \"busy\"}\n", asked.ID))
					continue
				}
			}
		}
		go func() {
			time.Sleep(latency)
			found := answer{ID: asked.ID}
			for rank := 0; rank < asked.K; rank++ {
				found.IDs = append(found.IDs, fmt.Sprint((number+rank*7)%passages))
				found.Scores = append(found.Scores, 1/float64(rank+1))
			}
			line, _ := json.Marshal(found)
			write(string(line) + "\n")
		}()
	}
	time.Sleep(2 * latency)
}
