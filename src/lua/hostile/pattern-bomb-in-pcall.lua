function agent.resolve()
  while true do
    pcall(string.gsub, ("a"):rep(200000), ("a-"):rep(20) .. "b", "")
  end
end
