agent.resolve = "text"
